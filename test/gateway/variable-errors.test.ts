import { describe, expect, it } from 'vitest';

import { shareGateway } from '../support/gateway.ts';

const open = shareGateway({ TYPED_FORMS: '*' });
const closed = shareGateway({ TYPED_FORMS: '*', NODE_ENV: 'production', CALLER_AUTH: 'none' });

const CREATE = `mutation ($values: CreatePurchaseRequestValues!) {
  createPurchaseRequest(input: { values: $values }) { __typename }
}`;
const VALUES = { title: 'x', amount: 1, quantity: 1, status: 'DRAFT', requester: 1 };

/** Executes an operation that must have one error, and returns it. */
const errorOf = async (gateway: typeof open, query: string, variables: object = {}) => {
  const { errors = [] } = await gateway.execute(query, variables);
  expect(errors).toHaveLength(1);
  return errors[0];
};

describe('a variable that does not fit', () => {
  it.each([
    [
      'unknown members',
      { statsu: 'DRAFT', amont: 1, zzzzzzzzzzzzzzzz: 1 },
      '$values does not fit its type, CreatePurchaseRequestValues.',
      ' It has no member "statsu"; did you mean status? It has no member "amont"; did you mean amount? It has no member "zzzzzzzzzzzzzzzz".',
    ],
    [
      'a wrong choice',
      { status: 'draft' },
      '$values.status does not fit its type, PurchaseRequestStatus.',
      ' It must be one of DRAFT, SUBMITTED, APPROVED, REJECTED.',
    ],
    ['a wrong scalar', { urgent: 'maybe' }, '$values.urgent does not fit its type, Boolean.', ''],
  ])(
    'has its place, and names only outside production: %s',
    async (_what, values, message, hint) => {
      const variables = { values: { ...VALUES, ...values } };
      const seen = await errorOf(open, CREATE, variables);
      const hidden = await errorOf(closed, CREATE, variables);

      expect(seen).toMatchObject({ message: message + hint, locations: [{ line: 1, column: 11 }] });
      expect(hidden).toMatchObject({ message, locations: [{ line: 1, column: 11 }] });
      expect(seen?.extensions['violations']).toEqual(hidden?.extensions['violations']);
      expect(seen?.extensions['violations'][0].path.slice(0, 2)).toEqual(['input', 'values']);
    },
  );

  it('is one violation with several unknown members', async () => {
    const error = await errorOf(open, CREATE, { values: { ...VALUES, one: 1, two: 2 } });

    expect(error?.extensions['violations']).toEqual([
      {
        path: ['input', 'values'],
        constraint: 'kind',
        message: 'must be of the type CreatePurchaseRequestValues',
      },
    ]);
  });

  it('names at most 50 unknown members of an object', async () => {
    const names = Array.from({ length: 200 }, (_, index) => [`_${index}`, 1]);

    const error = await errorOf(open, CREATE, { values: Object.fromEntries(names) });

    expect(error?.message.match(/It has no member/g)).toHaveLength(50);
  });

  it.each([
    ['query ($d: Boolean = true) { forms { totalCount @skip(if: $d) } }', '$d'],
    ['query ($d: ID = "a") { form(formId: $d) { name } }', '$d'],
    [
      'query ($d: ID = "1", $e: ID = "2") { suppliers(where: { instanceId: { in: [$d, $e] } }) { totalCount } }',
      '$d, $e',
    ],
  ])('is named if it is null where a value is needed: %s', async (query, names) => {
    const seen = await errorOf(open, query, { d: null });
    const hidden = await errorOf(closed, query, { d: null });

    expect(seen?.message).toContain(` Check ${names}.`);
    expect(hidden?.message).toBe(seen?.message);
    expect(seen?.extensions['code']).toBe('BAD_USER_INPUT');
  });

  it('names the item and the field in a bulk write', async () => {
    const error = await errorOf(
      open,
      `mutation ($items: [CreatePurchaseRequestsItem!]!) {
        createPurchaseRequests(input: { items: $items }) { done }
      }`,
      { items: [{ values: VALUES }, { values: { ...VALUES, status: 'draft', urgent: 7 } }] },
    );

    expect(error?.extensions['violations']).toMatchObject([
      { path: ['input', 'items', 1, 'values', 'status'], constraint: 'choices' },
      { path: ['input', 'items', 1, 'values', 'urgent'], constraint: 'kind' },
    ]);
  });
});

describe('an argument of a list that does not fit', () => {
  const violationsOf = async (field: string) => {
    const error = await errorOf(open, `{ ${field} { totalCount } }`);
    expect(error?.extensions['code']).toBe('BAD_USER_INPUT');
    expect(open.calls).toEqual([]);
    return error?.extensions['violations'];
  };
  const range = { message: 'must be from 0 to 100' };

  it.each([
    ['first: 101', { path: ['first'], constraint: 'max', limit: 100, ...range }],
    ['first: -1', { path: ['first'], constraint: 'min', limit: 0, ...range }],
    ['page: 0', { path: ['page'], constraint: 'min', limit: 1, message: 'must be 1 or more' }],
    ['page: 2147483647, first: 100', { path: ['page'], constraint: 'max' }],
    ['after: "x"', { path: ['after'], constraint: 'kind' }],
    ['after: "YXQ6MQ", page: 2', { path: ['page'], constraint: 'kind' }],
  ])('is a violation in the typed and the generic graph: %s', async (args, violation) => {
    expect(await violationsOf(`suppliers(${args})`)).toMatchObject([violation]);
    expect(await violationsOf(`instances(formId: "supplier", ${args})`)).toMatchObject([violation]);
    expect(await violationsOf(`forms(${args})`)).toMatchObject([violation]);
  });

  it.each([
    ['name: null', ['where', 'name']],
    ['name: { eq: null }', ['where', 'name', 'eq']],
    ['instanceId: { in: null }', ['where', 'instanceId', 'in']],
  ])('is a violation without a value: %s', async (where, path) => {
    const message = 'must have a value; leave it out instead';
    expect(await violationsOf(`suppliers(where: { ${where} })`)).toEqual([
      { path, constraint: 'required', message },
    ]);
  });

  it.each([
    'suppliers(where: { name: { eq: "LONG" } })',
    'instances(formId: "supplier", where: [{ field: "name", value: "LONG" }])',
  ])('is a violation if it is too long: %s', async (field) => {
    expect(await violationsOf(field.replace('LONG', 'x'.repeat(4_001)))).toMatchObject([
      { path: ['where'], constraint: 'maxLength', limit: 4_000 },
    ]);
  });

  it('is a violation if a value of a search is an object', async () => {
    const where = '[{ field: "name", value: "x" }, { field: "name", value: { a: 1 } }]';
    const message = 'must be a string, a number or a boolean';

    expect(await violationsOf(`instances(formId: "supplier", where: ${where})`)).toEqual([
      { path: ['where', 1, 'value'], constraint: 'kind', message },
    ]);
  });

  it('is a violation if it excludes more than 100 values', async () => {
    const notIn = (count: number) => {
      const values = Array.from({ length: count }, (_, index) => String(index + 1));
      return `purchaseRequests(where: { supplier: { notIn: ${JSON.stringify(values)} } })`;
    };
    const path = ['where', 'supplier', 'notIn'];
    const message = 'must have at most 100 values';

    expect(await violationsOf(notIn(101))).toEqual([
      { path, constraint: 'maxItems', limit: 100, message },
    ]);
    await open.dataOf(`{ ${notIn(100)} { totalCount } }`);
    expect(open.calls).toEqual(['getFormIntances']);
  });
});

describe('a text that the platform cannot search for', () => {
  const message = expect.stringContaining('which the platform’s search cannot carry');

  it.each([
    [
      'purchaseRequests(where: { title: { contains: "a,b" } }) { totalCount }',
      ['where', 'title', 'contains'],
    ],
    [
      'purchaseRequests(where: { title: { in: ["a", "b=c"] } }) { totalCount }',
      ['where', 'title', 'in'],
    ],
    [
      'purchaseRequests(where: { title: { notIn: ["a", "b:c"] } }) { totalCount }',
      ['where', 'title', 'notIn'],
    ],
    [
      'purchaseRequests(where: { supplier: { where: { name: { contains: "a,b" } } } }) { totalCount }',
      ['where', 'supplier', 'where', 'name', 'contains'],
    ],
    [
      'purchaseRequestCounts(by: STATUS, where: { supplier: { where: { name: { eq: "a:b" } } } }) { count }',
      ['where', 'supplier', 'where', 'name', 'eq'],
    ],
    [
      'instances(formId: "supplier", where: [{ field: "name", operator: NE, value: "x" }, { field: "name", operator: EQ, value: "a:b" }]) { totalCount }',
      ['where', 1, 'value'],
    ],
  ])('is a violation at its field: %s', async (field, path) => {
    const error = await errorOf(open, `{ ${field} }`);

    expect(error?.extensions['violations']).toEqual([{ path, constraint: 'platform', message }]);
    expect(open.calls).toEqual([]);
  });

  it('is a violation of a list inside a record', async () => {
    const list = 'purchaseRequests(where: { title: { eq: "a:b" } }) { totalCount }';

    expect(await errorOf(open, `{ supplier(instanceId: 1) { ${list} } }`)).toMatchObject({
      path: ['supplier', 'purchaseRequests'],
      extensions: { violations: [{ path: ['where', 'title', 'eq'], constraint: 'platform' }] },
    });
  });
});
