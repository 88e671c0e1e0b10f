import { describe, expect, it } from 'vitest';

import { shareGateway } from '../support/gateway.ts';

const open = shareGateway({ TYPED_FORMS: '*' });
const closed = shareGateway({ TYPED_FORMS: '*', NODE_ENV: 'production', CALLER_AUTH: 'none' });

const CREATE = `mutation ($values: CreatePurchaseRequestValues!) {
  createPurchaseRequest(input: { values: $values }) { __typename }
}`;
const VALUES = { title: 'x', amount: 1, quantity: 1, status: 'DRAFT', requester: 1 };
const errorOf = async (gateway: typeof open, query: string, variables: object) => {
  const { errors = [] } = await gateway.execute(query, variables);
  expect(errors).toHaveLength(1);
  return errors[0];
};

describe('a variable that does not fit', () => {
  it.each([
    [
      'an unknown member',
      { values: { ...VALUES, statsu: 'DRAFT' } },
      '$values does not fit its type, CreatePurchaseRequestValues.',
      ' It has no member "statsu"; did you mean status?',
    ],
    [
      'a member with no similar name',
      { values: { ...VALUES, zzzzzzzzzzzzzzzz: 1 } },
      '$values does not fit its type, CreatePurchaseRequestValues.',
      ' It has no member "zzzzzzzzzzzzzzzz".',
    ],
    [
      'a wrong choice',
      { values: { ...VALUES, status: 'draft' } },
      '$values.status does not fit its type, PurchaseRequestStatus.',
      ' It must be one of DRAFT, SUBMITTED, APPROVED, REJECTED.',
    ],
    [
      'a wrong scalar',
      { values: { ...VALUES, urgent: 'maybe' } },
      '$values.urgent does not fit its type, Boolean.',
      '',
    ],
  ])(
    'has its place, and names only outside production: %s',
    async (_what, variables, message, hint) => {
      const seen = await errorOf(open, CREATE, variables);
      const hidden = await errorOf(closed, CREATE, variables);

      expect(seen).toMatchObject({ message: message + hint, locations: [{ line: 1, column: 11 }] });
      expect(hidden).toMatchObject({ message, locations: [{ line: 1, column: 11 }] });
      expect(seen?.extensions['violations']).toEqual(hidden?.extensions['violations']);
      expect(seen?.extensions['violations'][0].path.slice(0, 2)).toEqual(['input', 'values']);
    },
  );

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

describe('the global id of another form', () => {
  const idOf = async (field: string) =>
    (await open.dataOf(`{ ${field}(instanceId: 1) { id } }`))[field].id as string;

  it('is a violation with both forms', async () => {
    const supplier = await idOf('employee');

    const error = await errorOf(open, CREATE, { values: { ...VALUES, supplier } });

    expect(error?.extensions['violations']).toEqual([
      {
        path: ['input', 'values', 'supplier'],
        constraint: 'kind',
        message: 'is an Employee, must be a Supplier',
      },
    ]);
  });

  it('is an error with both forms where one instance is read', async () => {
    const id = await idOf('employee');

    const error = await errorOf(open, `{ supplier(instanceId: "${id}") { name } }`, {});

    expect(error).toMatchObject({
      message: 'This global id is of the form "employee", and must be of "supplier".',
      path: ['supplier'],
    });
  });
});

describe('a text that the platform cannot search for', () => {
  const message = expect.stringContaining('which the platform’s search cannot carry');

  it.each([
    ['purchaseRequests(where: { title: { contains: "a,b" } })', ['where', 'title', 'contains']],
    ['purchaseRequests(where: { title: { in: ["a", "b=c"] } })', ['where', 'title', 'in']],
    ['purchaseRequests(where: { title: { notIn: ["a", "b:c"] } })', ['where', 'title', 'notIn']],
    [
      'purchaseRequests(where: { supplier: { where: { name: { contains: "a,b" } } } })',
      ['where', 'supplier', 'where', 'name', 'contains'],
    ],
    [
      'instances(formId: "supplier", where: [{ field: "name", operator: NE, value: "x" }, { field: "name", operator: EQ, value: "a:b" }])',
      ['where', 1, 'value'],
    ],
  ])('is a violation at its field: %s', async (field, path) => {
    const error = await errorOf(open, `{ ${field} { totalCount } }`, {});

    expect(error?.extensions['violations']).toEqual([{ path, constraint: 'platform', message }]);
    expect(open.calls).toEqual([]);
  });

  it('is a violation of counts, also in a condition on the target of a reference', async () => {
    const where = '{ supplier: { where: { name: { eq: "a:b" } } } }';
    const error = await errorOf(
      open,
      `{ purchaseRequestCounts(by: STATUS, where: ${where}) { count } }`,
      {},
    );

    const path = ['where', 'supplier', 'where', 'name', 'eq'];
    expect(error?.extensions['violations']).toEqual([{ path, constraint: 'platform', message }]);
    expect(open.calls).toEqual([]);
  });

  it('is a violation of a list inside a record', async () => {
    const error = await errorOf(
      open,
      '{ supplier(instanceId: 1) { purchaseRequests(where: { title: { eq: "a:b" } }) { totalCount } } }',
      {},
    );

    expect(error).toMatchObject({
      path: ['supplier', 'purchaseRequests'],
      extensions: { violations: [{ path: ['where', 'title', 'eq'], constraint: 'platform' }] },
    });
  });
});
