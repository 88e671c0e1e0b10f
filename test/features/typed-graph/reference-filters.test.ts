import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type GraphqlAnswer, startCountedGateway } from '../../support/gateway.ts';
import { defineThings } from '../../support/many-instances.ts';
import { planOf } from '../../support/plan.ts';
import { writeDialect } from '../../support/write-dialect.ts';

const { url, execute, dataOf, calls, close } = await startCountedGateway({ TYPED_FORMS: '*' });
afterAll(close);

beforeEach(() => {
  calls.length = 0;
});

const LIST = 'getFormIntances';
const GERMAN = `{
  purchaseRequests(where: { supplier: { where: { country: { eq: DE } } } }, first: 100) {
    nodes { instanceId }
  }
}`;
const idsOf = (nodes: readonly { readonly instanceId: string }[]) =>
  nodes.map(({ instanceId }) => instanceId);

describe('conditions on the target of a reference', () => {
  it('find the instances that refer to a matching one, with two calls', async () => {
    const found = await dataOf(GERMAN);
    expect(calls).toEqual([LIST, LIST]);

    const all = await dataOf(
      '{ purchaseRequests(first: 100) { nodes { instanceId supplier { country } } } }',
    );
    const german = all.purchaseRequests.nodes.filter(
      ({ supplier }: { supplier: { country: string } | null }) => supplier?.country === 'DE',
    );
    expect(german.length).toBeGreaterThan(0);
    expect(idsOf(found.purchaseRequests.nodes)).toEqual(idsOf(german));
  });

  it('hold beside other conditions, and on several references', async () => {
    const where = `{
      status: { in: [APPROVED, SUBMITTED] }
      supplier: { ne: "1", where: { active: { eq: true }, rating: { gte: 4 } } }
      requester: { where: { department: { eq: ENGINEERING }, manager: { in: ["1", "4"] } } }
    }`;
    const { purchaseRequests } = await dataOf(`{
      purchaseRequests(where: ${where}, first: 100) {
        nodes { status supplier { instanceId active rating } requester { department manager { instanceId } } }
      }
    }`);

    expect(purchaseRequests.nodes.length).toBeGreaterThan(0);
    for (const { status, supplier, requester } of purchaseRequests.nodes) {
      expect(['APPROVED', 'SUBMITTED']).toContain(status);
      expect(supplier.active && Number(supplier.rating) >= 4 && supplier.instanceId !== '1').toBe(
        true,
      );
      expect(requester.department).toBe('ENGINEERING');
      expect(['1', '4']).toContain(requester.manager.instanceId);
    }
  });

  it('are read once for all lists of an operation that have them', async () => {
    const where = '{ supplier: { where: { country: { eq: DE } } } }';
    await dataOf(`{
      a: purchaseRequests(where: ${where}, first: 1) { totalCount }
      b: purchaseRequests(where: ${where}, first: 2) { totalCount }
      employees(first: 3) { nodes { purchaseRequests(where: ${where}, first: 1) { totalCount } } }
    }`);

    // The suppliers, the two lists, the employees, and the list of each of them.
    expect(calls).toEqual(Array(7).fill(LIST));
  });

  it('without a match end with an empty list after one call', async () => {
    const { purchaseRequests } = await dataOf(
      '{ purchaseRequests(where: { supplier: { where: { name: { eq: "-" } } } }) { totalCount nodes { id } } }',
    );

    expect(purchaseRequests).toEqual({ totalCount: 0, nodes: [] });
    expect(calls).toEqual([LIST]);
  });

  it('are in the cost, and in the plan with their calls', async () => {
    const plan = await planOf(url, GERMAN);

    expect(plan.calls.most).toBe(2);
    expect(plan.steps.map(({ operation }: { operation: string }) => operation)).toEqual([
      LIST,
      LIST,
    ]);
    expect(calls).toEqual([]);
  });

  it('that more than 100 instances meet are refused with their number and the limit', async () => {
    const gateway = await startCountedGateway(
      { TYPED_FORMS: '*' },
      { definitions: defineThings({ things: 5, owners: 101 }) },
    );
    gateway.calls.length = 0;
    const find = (owner: string) =>
      gateway.execute(`{ things(where: { owner: { where: ${owner} } }) { nodes { name } } }`);

    expectTooWide(await find('{}'), 101, 100);
    expect(gateway.calls).toEqual([LIST]);
    const { data } = await find('{ instanceId: { ne: "5" } }');
    expect(data.things.nodes).toHaveLength(4);
  });

  it('are bound by the ids that a look-up of the platform may have', async () => {
    const gateway = await startCountedGateway({
      TYPED_FORMS: '*',
      UPSTREAM_DIALECT: writeDialect({ search: { maxIds: 3 } }),
    });

    const { suppliers } = await gateway.dataOf('{ suppliers(first: 0) { totalCount } }');

    expectTooWide(
      await gateway.execute(
        '{ purchaseRequests(where: { supplier: { where: {} } }) { totalCount } }',
      ),
      suppliers.totalCount,
      3,
    );
  });

  it('go one reference far, and need a platform that searches by several ids', async () => {
    const { errors } = await execute(
      '{ expenses(where: { purchaseRequest: { where: { supplier: { where: {} } } } }) { totalCount } }',
    );
    expect(errors?.[0]?.message).toContain('"where" is not defined by type "IDFilterInput"');

    const without = await startCountedGateway({
      TYPED_FORMS: '*',
      UPSTREAM_DIALECT: writeDialect({ search: { operators: { IN: null } } }),
    });
    const { data } = await without.execute(
      '{ __type(name: "PurchaseRequestFilterInput") { inputFields { name type { name } } } }',
    );
    expect(data.__type.inputFields).toContainEqual({
      name: 'supplier',
      type: { name: 'IDFilterInput' },
    });
  });
});

describe('a list of values', () => {
  it('without any is an empty list for no call', async () => {
    const data = await dataOf(`{
      typed: purchaseRequests(where: { status: { in: [] } }) { totalCount nodes { id } pageInfo { hasNextPage endCursor } }
      generic: instances(formId: "supplier", where: [{ field: "name", operator: IN, value: [] }]) { totalCount }
      target: purchaseRequests(where: { supplier: { where: { country: { in: [] } } } }) { totalCount }
    }`);

    expect(data).toEqual({
      typed: { totalCount: 0, nodes: [], pageInfo: { hasNextPage: false, endCursor: null } },
      generic: { totalCount: 0 },
      target: { totalCount: 0 },
    });
    expect(calls).toEqual([]);
  });

  it('that excludes nothing is no condition', async () => {
    const data = await dataOf(`{
      all: purchaseRequests(first: 0) { totalCount }
      same: purchaseRequests(where: { status: { notIn: [] } }, first: 0) { totalCount }
    }`);

    expect(data.same).toEqual(data.all);
    expect(calls).toEqual([LIST]);
  });
});

describe('first: 0', () => {
  it('counts without rows, typed, generic and nested, with one call for each list', async () => {
    const data = await dataOf(`{
      typed: suppliers(first: 0) { totalCount nodes { id } edges { cursor } pageInfo { hasNextPage startCursor } }
      generic: instances(formId: "supplier", first: 0) { totalCount nodes { form { name } } }
      forms(first: 0) { totalCount nodes { instances { totalCount } } }
      supplier(instanceId: "1") { purchaseRequests(first: 0) { totalCount } }
      rows: purchaseRequests(where: { supplier: { eq: "1" } }, first: 100) { nodes { id } }
    }`);

    const empty = { nodes: [], totalCount: data.typed.totalCount };
    expect(data.typed).toEqual({
      ...empty,
      edges: [],
      pageInfo: { hasNextPage: true, startCursor: null },
    });
    expect(data.typed.totalCount).toBeGreaterThan(5);
    expect(data.generic).toEqual(empty);
    expect(data.forms).toEqual({ totalCount: 4, nodes: [] });
    expect(data.supplier.purchaseRequests.totalCount).toBe(data.rows.nodes.length);
    expect(calls.toSorted()).toEqual(['getFormIntance', LIST, LIST, LIST, 'getForms']);
  });

  it('has a next page if there are rows', async () => {
    const data = await dataOf(`{
      none: suppliers(where: { name: { eq: "-" } }, first: 0) { pageInfo { hasNextPage } }
      nothing: suppliers(where: { name: { in: [] } }, first: 0) { pageInfo { hasNextPage } }
      one: suppliers(where: { instanceId: { eq: "1" } }, first: 0) { pageInfo { hasNextPage } }
      last: suppliers(where: { instanceId: { eq: "1" } }, first: 1) { pageInfo { endCursor } }
    }`);
    const { after } = await dataOf(
      `query ($after: String) {
        after: suppliers(where: { instanceId: { eq: "1" } }, first: 0, after: $after) {
          pageInfo { hasNextPage }
        }
      }`,
      { after: data.last.pageInfo.endCursor },
    );

    const hasNextPage = ({ pageInfo }: { pageInfo: { hasNextPage: boolean } }) =>
      pageInfo.hasNextPage;
    expect([data.none, data.nothing, data.one, after].map(hasNextPage)).toEqual([
      false,
      false,
      true,
      false,
    ]);
  });

  it('counts one row', async () => {
    const data = await dataOf(
      '{ suppliers(where: { instanceId: { eq: "1" } }, first: 0) { totalCount } }',
    );

    expect(data.suppliers.totalCount).toBe(1);
  });
});

describe('an order', () => {
  it('has fields and directions as in the generic graph', async () => {
    const data = await dataOf(`{
      typed: purchaseRequests(
        orderBy: [{ field: STATUS }, { field: NEEDED_BY, direction: DESC }, { field: INSTANCE_ID, direction: DESC }]
        first: 30
      ) { nodes { instanceId } }
      generic: instances(
        formId: "purchase-request"
        orderBy: [{ field: "status" }, { field: "neededBy", direction: DESC }, { field: "idInstance", direction: DESC }]
        first: 30
      ) { nodes { instanceId } }
    }`);

    expect(data.typed).toEqual(data.generic);
    expect(calls).toEqual([LIST]);
  });

  it('has no reference among its fields', async () => {
    const { data } = await execute(
      '{ __type(name: "PurchaseRequestOrderField") { enumValues { name } } }',
    );

    expect(data.__type.enumValues.map(({ name }: { name: string }) => name)).toEqual([
      'INSTANCE_ID',
      'TITLE',
      'AMOUNT',
      'QUANTITY',
      'STATUS',
      'NEEDED_BY',
      'URGENT',
      'CREATED_AT',
      'NOTES',
    ]);
  });
});

function expectTooWide(answer: GraphqlAnswer, found: number, limit: number): void {
  expect(answer.errors).toEqual([
    expect.objectContaining({
      message: expect.stringMatching(
        new RegExp(`^where\\.\\w+\\.where matches ${found} instances, and at most ${limit} `),
      ),
      extensions: expect.objectContaining({
        code: 'FILTER_TOO_WIDE',
        found,
        limit,
        retryable: false,
      }),
    }),
  ]);
}
