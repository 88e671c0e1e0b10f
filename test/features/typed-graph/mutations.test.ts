import { afterAll, beforeEach, describe, expect, it } from 'vitest';

import { postGraphql, startCountedGateway, startGateway } from '../../support/gateway.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';

const { url, execute, dataOf, calls, close } = await startCountedGateway({ TYPED_FORMS: '*' });
afterAll(close);
beforeEach(() => {
  calls.length = 0;
});

describe('a typed instance', () => {
  it('is created, read back, updated, replaced and deleted, with one call for each write', async () => {
    const { createPurchaseRequest } = await dataOf(
      `mutation ($values: CreatePurchaseRequestValues!) {
        createPurchaseRequest(input: { values: $values }) {
          instance { instanceId title amount quantity status neededBy createdAt urgent notes supplier { name } requester { name } }
        }
      }`,
      {
        values: {
          title: 'Desks',
          amount: '1299.50',
          quantity: 3,
          status: 'DRAFT',
          supplier: '9',
          requester: 7,
          neededBy: '2026-12-24',
          createdAt: '2026-11-21T10:00:00+01:00',
        },
      },
    );

    const { instanceId, ...created } = createPurchaseRequest.instance;
    expect(created).toEqual({
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

    const { updatePurchaseRequest } = await dataOf(
      `mutation { updatePurchaseRequest(input: { instanceId: ${instanceId}, values: { status: SUBMITTED, neededBy: null, notes: "soon" } }) {
        instance { title status neededBy notes }
      } }`,
    );
    expect(updatePurchaseRequest.instance).toEqual({
      title: 'Desks',
      status: 'SUBMITTED',
      neededBy: null,
      notes: 'soon',
    });
    expect(calls.splice(0)).toEqual(['updateValuesOfFormIntance', 'getFormIntance']);

    const { replacePurchaseRequest } = await dataOf(
      `mutation { replacePurchaseRequest(input: { instanceId: "${instanceId}", values: { title: "Tables", amount: 0.1 } }) {
        instance { title amount status notes supplier { name } }
      } }`,
    );
    expect(replacePurchaseRequest.instance).toEqual({
      title: 'Tables',
      amount: '0.1',
      status: 'SUBMITTED',
      notes: null,
      supplier: null,
    });
    expect(calls.splice(0)).toEqual(['updateFormIntance', 'getFormIntance']);

    const { deletePurchaseRequest } = await dataOf(
      `mutation { deletePurchaseRequest(input: { instanceId: "${instanceId}" }) { deletedId } }`,
    );
    expect(await dataOf(`{ node(id: "${deletePurchaseRequest.deletedId}") { id } }`)).toEqual({
      node: null,
    });
    expect(calls).toEqual(['deleteFormIntance', 'getFormIntance 404']);
  });

  it('is not read back when it is not selected', async () => {
    await dataOf(
      'mutation { updateSupplier(input: { instanceId: 1, values: { rating: 4.25, country: CH } }) { __typename } }',
    );

    expect(calls).toEqual(['updateValuesOfFormIntance']);
  });

  it('is written once for an idempotency key, also across typed and generic mutations', async () => {
    const update = (active: boolean) =>
      `mutation { updateSupplier(input: { instanceId: 1, values: { active: ${active} }, idempotencyKey: "k" }) { instance { active } } }`;

    const first = await dataOf(update(false));
    const second = await dataOf(update(false));
    await dataOf(
      'mutation { updateInstance(input: { formId: "supplier", instanceId: 1, values: { active: false }, idempotencyKey: "k" }) { __typename } }',
    );
    const refused = await execute(update(true));

    expect(first.updateSupplier.instance).toEqual({ active: false });
    expect(second).toEqual(first);
    expect(refused.errors).toMatchObject([
      { path: ['updateSupplier'], extensions: { code: 'BAD_USER_INPUT' } },
    ]);
    expect(calls.filter((call) => call.startsWith('update'))).toHaveLength(1);
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
    const { dataOf } = await startGateway({ ...env, TYPED_FORMS: '*' });

    await dataOf(`mutation { createThing(input: { values: {
      proto: "é\\u0000", constructor_: "9", ab: "-9223372036854775808", field2nd: 1.5, field: "007.50", ok: false
      on: "2026-12-24", at: "2026-12-24T01:00:00+01:00", any: { a: [null] }, one: SEVEN, ref: "9223372036854775807"
    } }) { __typename } }`);

    expect(seen.at(-1)?.body).toBe(
      '{"values":{"--proto--":"é\\u0000","constructor":9,"a b":-9223372036854775808,"2nd":1.5,"金額":7.5,"ok":false,' +
        '"on":"2026-12-24","at":"2026-12-24T00:00:00.000Z","any":{"a":[null]},"one":7,"ref":9223372036854775807}}',
    );
  });
});

const CREATE = `mutation ($values: CreatePurchaseRequestValues!) {
  createPurchaseRequest(input: { values: $values }) { __typename }
}`;
const VALUES = { title: 'Desks', amount: '12.5', quantity: 3, status: 'DRAFT', requester: '7' };
const LONG = 'x'.repeat(121);
const WRONG = { ...VALUES, title: LONG, amount: '-0.01', quantity: 0, supplier: 'ACME' };

const violation = (name: string, constraint: string, message: string, limit?: number) => ({
  path: ['input', 'values', name],
  constraint,
  message,
  ...(limit !== undefined && { limit }),
});
const required = (name: string) => violation(name, 'required', 'must have a value');
const TITLE = violation('title', 'maxLength', 'must have at most 120 characters', 120);
const AMOUNT = violation('amount', 'min', 'must be at least 0', 0);
const QUANTITY = violation('quantity', 'min', 'must be at least 1', 1);
const SUPPLIER = violation(
  'supplier',
  'kind',
  'must be an id of the platform, an integer, or a global id',
);

describe('invalid values of a form', () => {
  it('are all reported at once by path, without a call', async () => {
    const answer = await execute(
      `mutation ($input: CreatePurchaseRequestInput!) {
        createPurchaseRequest(input: $input) { __typename }
      }`,
      { input: { values: WRONG } },
    );

    expect(answer).toEqual({
      status: 200,
      data: { createPurchaseRequest: null },
      errors: [
        {
          message:
            'input.values.title must have at most 120 characters; input.values.amount must be at least 0; input.values.quantity must be at least 1; input.values.supplier must be an id of the platform, an integer, or a global id.',
          locations: [{ line: 2, column: 9 }],
          path: ['createPurchaseRequest'],
          extensions: {
            code: 'BAD_USER_INPUT',
            retryable: false,
            violations: [TITLE, AMOUNT, QUANTITY, SUPPLIER],
            requestId: expect.any(String),
          },
        },
      ],
    });
    expect(calls).toEqual([]);
  });

  it('are reported together with values of another type, also where a variable is the value of one field', async () => {
    const text = `mutation ($title: String!, $amount: Decimal, $notes: String) {
      updatePurchaseRequest(input: { instanceId: "41", values: { title: $title, amount: $amount, notes: $notes } }) { __typename }
    }`;

    const { status, errors } = await execute(text, { title: LONG, amount: 'much' });

    expect(status).toBe(400);
    expect(errors?.[0]?.extensions['violations']).toEqual([
      TITLE,
      violation('amount', 'kind', 'must be a decimal number, such as 12.50'),
    ]);
    expect(calls).toEqual([]);
  });

  it('are reported the same way by a plan, and when they are literals in the document', async () => {
    const body = { query: CREATE, variables: { values: WRONG } };
    const planned = await postGraphql(url, body, { 'x-caseway-explain': 'plan' });
    const literal = await execute(`mutation {
      createPurchaseRequest(input: { values: {
        title: "${LONG}", amount: -0.01, quantity: 0, status: DRAFT, supplier: "ACME", requester: 7
      } }) { __typename }
    }`);

    const violations = [TITLE, AMOUNT, QUANTITY, SUPPLIER];
    const refused = { errors: [{ extensions: { code: 'BAD_USER_INPUT', violations } }] };
    expect([planned, literal]).toMatchObject([{ status: 400, ...refused }, refused]);
    expect(calls).toEqual([]);
  });

  it('are reported together with missing values and wrong types', async () => {
    const { status: _, quantity: __, ...some } = WRONG;

    const { data, errors } = await execute(CREATE, {
      values: {
        ...some,
        urgent: 'yes',
        neededBy: '2026-02-30',
        createdAt: '2026-01-01T00:00',
        status: 'OPEN',
      },
    });

    expect(data).toBeUndefined();
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(errors?.[0]?.extensions['violations']).toEqual([
      TITLE,
      AMOUNT,
      required('quantity'),
      violation('status', 'choices', 'must be one of the choices'),
      SUPPLIER,
      violation('neededBy', 'kind', 'must be a date, such as 2026-01-31'),
      violation('urgent', 'kind', 'must be true or false'),
      violation(
        'createdAt',
        'kind',
        'must be a date and time with an offset, to the millisecond, such as 2026-01-31T12:00:00.000Z',
      ),
    ]);
    expect(calls).toEqual([]);
  });

  it('do not affect the other mutations of an operation', async () => {
    const { data, errors } = await execute(
      `mutation ($values: UpdateSupplierValues!) {
        wrong: updateSupplier(input: { instanceId: 1, values: $values }) { __typename }
        right: updateSupplier(input: { instanceId: 1, values: { rating: 5 } }) { instance { rating } }
      }`,
      { values: { rating: '5.01', name: null, country: null, active: null } },
    );

    expect(data).toEqual({ wrong: null, right: { instance: { rating: '5' } } });
    const violations = [
      required('name'),
      required('country'),
      violation('rating', 'max', 'must be at most 5', 5),
      required('active'),
    ];
    expect(errors).toMatchObject([{ path: ['wrong'], extensions: { violations } }]);
    expect(calls).toEqual(['updateValuesOfFormIntance', 'getFormIntance']);
  });

  it.each([
    ['{ purchaseRequests(where: { createdAt: { gte: "2026-3-1" } }) { totalCount } }', 47],
    ['{ purchaseRequests(where: { amount: { lt: "many" } }) { totalCount } }', 43],
    ['{ purchaseRequests(where: { quantity: { eq: 1.5 } }) { totalCount } }', 45],
  ])('are refused as literals of filters with their place: %s', async (query, column) => {
    expect(await execute(query)).toMatchObject({
      status: 400,
      errors: [
        { message: expect.stringContaining('This must be'), locations: [{ line: 1, column }] },
      ],
    });
  });
});

it('values pass at the very limit of their constraints, counted in characters', async () => {
  const atLimit = { title: 'é'.repeat(120), amount: '0', quantity: 1, supplier: null };

  await dataOf(CREATE, { values: { ...VALUES, ...atLimit } });

  expect(calls).toEqual(['createFormIntance']);
});

it('the inputs of a form have labels, units, constraints and required values in their descriptions', async () => {
  const { create, update } = await dataOf(`{
    create: __type(name: "CreateSupplierValues") { inputFields { name description type { kind } } }
    update: __type(name: "UpdateSupplierValues") { inputFields { name type { kind } } }
  }`);

  expect(create.inputFields).toContainEqual(
    expect.objectContaining({
      name: 'rating',
      description: 'Rating, in stars. At least 0. At most 5.',
    }),
  );
  const requiredIn = (fields: { name: string; type: { kind: string } }[]) =>
    fields.filter(({ type }) => type.kind === 'NON_NULL').map(({ name }) => name);
  expect(requiredIn(create.inputFields)).toEqual(['name', 'country', 'active']);
  expect(requiredIn(update.inputFields)).toEqual([]);
});
