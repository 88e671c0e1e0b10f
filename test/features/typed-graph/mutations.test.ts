import { describe, expect, it } from 'vitest';

import { startCountedGateway, startGateway } from '../../support/gateway.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';

const TYPED = { TYPED_FORMS: '*' };

const CREATE = `mutation ($values: CreatePurchaseRequestValues!) {
  createPurchaseRequest(input: { values: $values }) {
    instance { instanceId title amount quantity status neededBy createdAt urgent notes supplier { name } requester { name } }
  }
}`;

const DESKS = {
  title: 'Desks',
  amount: '1299.50',
  quantity: 3,
  status: 'DRAFT',
  supplier: '9',
  requester: 7,
  neededBy: '2026-12-24',
  createdAt: '2026-11-21T10:00:00+01:00',
};

describe('a typed instance', () => {
  it('is created, read back, updated, replaced and deleted, with one call for each write', async () => {
    const { execute, calls } = await startCountedGateway(TYPED);
    calls.splice(0);

    const created = await execute(CREATE, { values: DESKS });

    expect(created.errors).toBeUndefined();
    const { instanceId, ...rest } = created.data.createPurchaseRequest.instance;
    expect(rest).toEqual({
      title: 'Desks',
      amount: '1299.5',
      quantity: '3',
      status: 'DRAFT',
      neededBy: '2026-12-24',
      createdAt: '2026-11-21T09:00:00.000Z',
      urgent: null,
      notes: null,
      supplier: { name: 'Muebles Calatrava' },
      requester: { name: 'Beatriz Rocha' },
    });
    // The create response contains the values, so only their references are read.
    expect(calls.splice(0)).toEqual(['createFormIntance', 'getFormIntance', 'getFormIntance']);

    const updated = await execute(
      `mutation { updatePurchaseRequest(input: { instanceId: ${instanceId}, values: { status: SUBMITTED, neededBy: null, notes: "soon" } }) {
        instance { title status neededBy notes }
      } }`,
    );
    expect(updated.data.updatePurchaseRequest.instance).toEqual({
      title: 'Desks',
      status: 'SUBMITTED',
      neededBy: null,
      notes: 'soon',
    });
    expect(calls.splice(0)).toEqual(['updateValuesOfFormIntance', 'getFormIntance']);

    const replaced = await execute(
      `mutation { replacePurchaseRequest(input: { instanceId: "${instanceId}", values: { title: "Tables", amount: 0.1 } }) {
        instance { title amount status notes supplier { name } }
      } }`,
    );
    expect(replaced.data.replacePurchaseRequest.instance).toEqual({
      title: 'Tables',
      amount: '0.1',
      status: 'SUBMITTED',
      notes: null,
      supplier: null,
    });
    expect(calls.splice(0)).toEqual(['updateFormIntance', 'getFormIntance']);

    const deleted = await execute(
      `mutation { deletePurchaseRequest(input: { instanceId: "${instanceId}" }) { deletedId } }`,
    );
    const { data } = await execute(
      `{ node(id: "${deleted.data.deletePurchaseRequest.deletedId}") { id } }`,
    );
    expect(data).toEqual({ node: null });
    expect(calls.splice(0)).toEqual(['deleteFormIntance', 'getFormIntance 404']);
  });

  it('is not read back when it is not selected', async () => {
    const { execute, calls } = await startCountedGateway(TYPED);
    calls.splice(0);

    const { errors } = await execute(
      'mutation { updateSupplier(input: { instanceId: 1, values: { rating: 4.25, country: CH } }) { __typename } }',
    );

    expect(errors).toBeUndefined();
    expect(calls).toEqual(['updateValuesOfFormIntance']);
  });

  it('is written once for an idempotency key, also across typed and generic mutations', async () => {
    const { execute, calls } = await startCountedGateway(TYPED);
    calls.splice(0);
    const typed = `mutation { updateSupplier(input: { instanceId: 1, values: { active: false }, idempotencyKey: "k" }) { instance { active } } }`;
    const generic = `mutation { updateInstance(input: { formId: "supplier", instanceId: 1, values: { active: false }, idempotencyKey: "k" }) { __typename } }`;
    const other = `mutation { updateSupplier(input: { instanceId: 1, values: { active: true }, idempotencyKey: "k" }) { __typename } }`;

    const first = await execute(typed);
    const second = await execute(typed);
    const third = await execute(generic);
    const refused = await execute(other);

    expect(first.data.updateSupplier.instance).toEqual({ active: false });
    expect(second.data).toEqual(first.data);
    expect(third.errors).toBeUndefined();
    expect(refused.errors).toMatchObject([
      { path: ['updateSupplier'], extensions: { code: 'BAD_USER_INPUT' } },
    ]);
    expect(calls.filter((call) => call.startsWith('update'))).toHaveLength(1);
  });

  it('keeps every digit of a 64-bit integer in both directions', async () => {
    const { dataOf } = await startCountedGateway(TYPED);

    const data = await dataOf(
      `mutation ($number: Long) {
        given: updateSupplier(input: { instanceId: 1, values: { locationNumber: $number } }) { instance { locationNumber } }
        literal: updateSupplier(input: { instanceId: 2, values: { locationNumber: 9007199254740993 } }) { instance { locationNumber } }
        small: updateSupplier(input: { instanceId: 3, values: { locationNumber: "12" } }) { instance { locationNumber } }
      }`,
      { number: '9223372036854775807' },
    );

    expect(data).toEqual({
      given: { instance: { locationNumber: '9223372036854775807' } },
      literal: { instance: { locationNumber: '9007199254740993' } },
      small: { instance: { locationNumber: '12' } },
    });
  });

  it('is sent by its form’s own names, each value in the kind of its field', async () => {
    const fields = [
      { name: '--proto--', type: 'text' },
      { name: 'constructor', type: 'integer' },
      { name: 'a b', type: 'long' },
      { name: '2nd', type: 'double' },
      { name: '金額', type: 'decimal' },
      { name: 'ok', type: 'boolean' },
      { name: 'on', type: 'date' },
      { name: 'at', type: 'datetime' },
      { name: 'any', type: 'matrix' },
      { name: 'one', type: 'choice', options: [{ value: 7, label: 'Seven' }, { value: 'b' }] },
      { name: 'ref', type: 'reference', reference: 'thing' },
    ];
    const { env, seen } = await scriptPlatform(({ method }) =>
      method === 'POST'
        ? { status: 201, body: { idInstance: 1 } }
        : { body: [{ idForm: 'thing', fields }] },
    );
    const { execute } = await startGateway({ ...env, ...TYPED });
    const values = `{
      proto: "é\\u0000", constructor_: "9", ab: "-9223372036854775808", field2nd: 1.5, field: "007.50", ok: false
      on: "2026-12-24", at: "2026-12-24T01:00:00+01:00", any: { a: [null] }, one: SEVEN, ref: "9223372036854775807"
    }`;

    const { errors } = await execute(
      `mutation { createThing(input: { values: ${values} }) { __typename } }`,
    );

    expect(errors).toBeUndefined();
    expect(seen.at(-1)?.body).toBe(
      '{"values":{"--proto--":"é\\u0000","constructor":9,"a b":-9223372036854775808,"2nd":1.5,"金額":7.5,"ok":false,' +
        '"on":"2026-12-24","at":"2026-12-24T00:00:00.000Z","any":{"a":[null]},"one":7,"ref":9223372036854775807}}',
    );
  });
});
