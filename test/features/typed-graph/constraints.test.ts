import { afterAll, beforeEach, describe, expect, it } from 'vitest';

import { postGraphql, startCountedGateway } from '../../support/gateway.ts';

const { url, execute, calls, close } = await startCountedGateway({ TYPED_FORMS: '*' });
afterAll(close);

beforeEach(() => {
  calls.length = 0;
});

const CREATE = `mutation ($input: CreatePurchaseRequestInput!) {
  createPurchaseRequest(input: $input) { instance { instanceId } }
}`;
const VALUES = { title: 'Desks', amount: '12.5', quantity: 3, status: 'DRAFT', requester: '7' };
const LONG = 'x'.repeat(121);

const TOO_MUCH = [
  {
    path: ['input', 'values', 'title'],
    constraint: 'maxLength',
    limit: 120,
    message: 'must have at most 120 characters',
  },
  {
    path: ['input', 'values', 'amount'],
    constraint: 'min',
    limit: 0,
    message: 'must be at least 0',
  },
  {
    path: ['input', 'values', 'quantity'],
    constraint: 'min',
    limit: 1,
    message: 'must be at least 1',
  },
  {
    path: ['input', 'values', 'supplier'],
    constraint: 'kind',
    message: 'must be an id of the platform, an integer, or a global id',
  },
];
const wrong = { ...VALUES, title: LONG, amount: '-0.01', quantity: 0, supplier: 'ACME' };

describe('invalid values of a form', () => {
  it('are all reported at once by path, without a call', async () => {
    const { status, data, errors } = await execute(CREATE, { input: { values: wrong } });

    expect(status).toBe(200);
    expect(data).toEqual({ createPurchaseRequest: null });
    expect(errors).toEqual([
      {
        message:
          'input.values.title must have at most 120 characters; input.values.amount must be at least 0; input.values.quantity must be at least 1; input.values.supplier must be an id of the platform, an integer, or a global id.',
        locations: [{ line: 2, column: 3 }],
        path: ['createPurchaseRequest'],
        extensions: {
          code: 'BAD_USER_INPUT',
          retryable: false,
          violations: TOO_MUCH,
          requestId: expect.any(String),
        },
      },
    ]);
    expect(calls).toEqual([]);
  });

  it('are reported together with values of another type, also where a variable is the value of one field', async () => {
    const text = `mutation ($title: String!, $amount: Decimal, $notes: String) {
      updatePurchaseRequest(input: { instanceId: "41", values: { title: $title, amount: $amount, notes: $notes } }) {
        instance { instanceId }
      }
    }`;

    const { status, errors } = await execute(text, { title: LONG, amount: 'much' });

    expect(status).toBe(400);
    expect(errors?.[0]?.extensions['violations']).toEqual([
      TOO_MUCH[0],
      {
        path: ['input', 'values', 'amount'],
        constraint: 'kind',
        message: 'must be a decimal number, such as 12.50',
      },
    ]);
    expect(calls).toEqual([]);
  });

  it('are reported the same way by a plan, and when they are literals in the document', async () => {
    const body = JSON.stringify({ query: CREATE, variables: { input: { values: wrong } } });
    const planned = await postGraphql(url, body, { 'x-caseway-explain': 'plan' });
    const literal = await execute(`mutation {
      createPurchaseRequest(input: { values: {
        title: "${LONG}", amount: -0.01, quantity: 0, status: DRAFT, supplier: "ACME", requester: 7
      } }) { __typename }
    }`);

    const refused = { errors: [{ extensions: { code: 'BAD_USER_INPUT', violations: TOO_MUCH } }] };
    expect([planned, literal]).toMatchObject([{ status: 400, ...refused }, refused]);
    expect(calls).toEqual([]);
  });

  it('are reported together with missing values and wrong types', async () => {
    const { status: _, quantity: __, ...some } = wrong;
    const given = {
      ...some,
      urgent: 'yes',
      neededBy: '2026-02-30',
      createdAt: '2026-01-01T00:00',
      status: 'OPEN',
    };

    const { data, errors } = await execute(
      'mutation ($values: CreatePurchaseRequestValues!) { createPurchaseRequest(input: { values: $values }) { __typename } }',
      { values: given },
    );

    expect(data).toBeUndefined();
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(errors?.[0]?.extensions['violations']).toEqual([
      TOO_MUCH[0],
      TOO_MUCH[1],
      {
        path: ['input', 'values', 'quantity'],
        constraint: 'required',
        message: 'must have a value',
      },
      {
        path: ['input', 'values', 'status'],
        constraint: 'choices',
        message: 'must be one of the choices',
      },
      TOO_MUCH[3],
      {
        path: ['input', 'values', 'neededBy'],
        constraint: 'kind',
        message: 'must be a date, such as 2026-01-31',
      },
      { path: ['input', 'values', 'urgent'], constraint: 'kind', message: 'must be true or false' },
      {
        path: ['input', 'values', 'createdAt'],
        constraint: 'kind',
        message:
          'must be a date and time with an offset, to the millisecond, such as 2026-01-31T12:00:00.000Z',
      },
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
    expect(errors?.map(({ path, extensions }) => [path, extensions['violations']])).toEqual([
      [
        ['wrong'],
        [
          {
            path: ['input', 'values', 'name'],
            constraint: 'required',
            message: 'must have a value',
          },
          {
            path: ['input', 'values', 'country'],
            constraint: 'required',
            message: 'must have a value',
          },
          {
            path: ['input', 'values', 'rating'],
            constraint: 'max',
            limit: 5,
            message: 'must be at most 5',
          },
          {
            path: ['input', 'values', 'active'],
            constraint: 'required',
            message: 'must have a value',
          },
        ],
      ],
    ]);
    expect(calls).toEqual(['updateValuesOfFormIntance', 'getFormIntance']);
  });
});

it.each([
  ['{ purchaseRequests(where: { createdAt: { gte: "2026-3-1" } }) { totalCount } }', 47],
  ['{ purchaseRequests(where: { amount: { lt: "many" } }) { totalCount } }', 43],
  ['{ purchaseRequests(where: { quantity: { eq: 1.5 } }) { totalCount } }', 45],
])(
  'a literal that is no value of its type is refused with its place: %s',
  async (query, column) => {
    const { status, errors } = await execute(query);

    expect(status).toBe(400);
    expect(errors).toMatchObject([
      { message: expect.stringContaining('This must be'), locations: [{ line: 1, column }] },
    ]);
  },
);

it('a value allowed by the platform and the definition passes at the very limit of its constraints, counted in characters', async () => {
  const { errors } = await execute(CREATE, {
    input: {
      values: { ...VALUES, title: 'é'.repeat(120), amount: '0', quantity: 1, supplier: null },
    },
  });

  expect(errors).toBeUndefined();
});

it('the inputs of a form have labels, units, constraints and required values in their descriptions', async () => {
  const { data } = await execute(`{
      create: __type(name: "CreateSupplierValues") { inputFields { name description type { kind } } }
      update: __type(name: "UpdateSupplierValues") { inputFields { name type { kind } } }
    }`);

  const rating = data.create.inputFields.find(({ name }: { name: string }) => name === 'rating');
  expect(rating.description).toBe('Rating, in stars. At least 0. At most 5.');
  const due = (fields: { name: string; type: { kind: string } }[]) =>
    fields.filter(({ type }) => type.kind === 'NON_NULL').map(({ name }) => name);
  expect(due(data.create.inputFields)).toEqual(['name', 'country', 'active']);
  expect(due(data.update.inputFields)).toEqual([]);
});
