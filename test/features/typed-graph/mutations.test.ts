import { describe, expect, it } from 'vitest';

import { startBoth } from '../../support/different-platform/gateway.ts';
import { startCountedGateway } from '../../support/gateway.ts';

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
    // The answer to the creation holds the values, so that only what these refer to is asked.
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
    const { data } = await execute(`{ node(id: "${deleted.data.deletePurchaseRequest.deletedId}") { id } }`);
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
    expect(refused.errors).toMatchObject([{ path: ['updateSupplier'], extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(calls.filter((call) => call.startsWith('update'))).toHaveLength(1);
  });

  it('keeps every digit of a 64-bit integer in both directions', async () => {
    const { execute } = await startCountedGateway(TYPED);

    const { data, errors } = await execute(
      `mutation ($number: Long) {
        given: updateSupplier(input: { instanceId: 1, values: { locationNumber: $number } }) { instance { locationNumber } }
        literal: updateSupplier(input: { instanceId: 2, values: { locationNumber: 9007199254740993 } }) { instance { locationNumber } }
        small: updateSupplier(input: { instanceId: 3, values: { locationNumber: "12" } }) { instance { locationNumber } }
      }`,
      { number: '9223372036854775807' },
    );

    expect(errors).toBeUndefined();
    expect(data).toEqual({
      given: { instance: { locationNumber: '9223372036854775807' } },
      literal: { instance: { locationNumber: '9007199254740993' } },
      small: { instance: { locationNumber: '12' } },
    });
  });

  it('is written on a different platform in the same way', async () => {
    const { execute, calls } = await startBoth({}, TYPED);
    const start = calls.length;

    const { data, errors } = await execute(`mutation {
      createVehicle(input: { values: { plate: "CW 999", axles: 3, isElectric: true, driver: 503 } }) {
        instance { instanceId plate axles isElectric driver { name licence } }
      }
    }`);
    expect(errors).toBeUndefined();
    const { instanceId, ...created } = data.createVehicle.instance;
    expect(created).toEqual({
      plate: 'CW 999',
      axles: '3',
      isElectric: true,
      driver: { name: 'Driver C', licence: 'CE' },
    });

    const changed = await execute(`mutation {
      updateVehicle(input: { instanceId: "${instanceId}", values: { driver: null } }) { instance { plate driver { name } } }
      replaceVehicle(input: { instanceId: "${instanceId}", values: { plate: "CW 998", axles: 2 } }) { instance { plate axles isElectric } }
      createDriver(input: { values: { name: "Zoe", licence: CE } }) { instance { licence } }
    }`);
    expect(changed.errors).toBeUndefined();
    expect(changed.data).toEqual({
      updateVehicle: { instance: { plate: 'CW 999', driver: null } },
      replaceVehicle: { instance: { plate: 'CW 998', axles: '2', isElectric: null } },
      createDriver: { instance: { licence: 'CE' } },
    });
    const changes = calls.slice(start).filter(({ method }) => method !== 'GET');
    expect(changes.map(({ method, body }) => `${method} ${body}`)).toEqual([
      'POST [{"name":"plate","value":"CW 999"},{"name":"axles","value":3},{"name":"isElectric","value":true},{"name":"driver","value":503}]',
      'PATCH [{"name":"driver","value":null}]',
      'PUT [{"name":"plate","value":"CW 998"},{"name":"axles","value":2}]',
      'POST [{"name":"name","value":"Zoe"},{"name":"licence","value":"CE"}]',
    ]);
    expect(calls.slice(start)).toHaveLength(4 + 5);
  });
});
