import { afterAll, beforeEach, describe, expect, it } from 'vitest';

import { startCountedGateway } from '../../support/gateway.ts';
import { defineThings } from '../../support/many-instances.ts';
import { planOf } from '../../support/plan.ts';
import { writeDialect } from '../../support/write-dialect.ts';

const TYPED = { TYPED_FORMS: '*' };
const { url, execute, dataOf, calls, close } = await startCountedGateway(TYPED);
afterAll(close);
beforeEach(() => {
  calls.length = 0;
});

const LIST = 'getFormIntances';
const namesOf = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);

describe('a typed list', () => {
  it('includes references with one call for each level', async () => {
    const { purchaseRequests } = await dataOf(`{
      purchaseRequests(where: { amount: { gt: 1000 } }, orderBy: [{ field: AMOUNT, direction: DESC }], first: 20) {
        nodes { amount status supplier { name country } requester { name manager { name } } }
      }
    }`);

    const { nodes } = purchaseRequests;
    expect(nodes).toHaveLength(20);
    expect(nodes[0]).toEqual({
      amount: '24800',
      status: 'REJECTED',
      supplier: { name: 'Cascade Test Systems', country: 'US' },
      requester: { name: 'Jonas Keller', manager: { name: 'Ingrid Svensson' } },
    });
    const amounts = nodes.map(({ amount }: { amount: string }) => Number(amount));
    expect(amounts).toEqual(amounts.toSorted((one: number, other: number) => other - one));
    expect(Math.min(...amounts)).toBeGreaterThan(1000);
    // The list, its suppliers, its requesters, and the managers outside of the requesters.
    expect(calls).toEqual([LIST, LIST, LIST, LIST]);
  });

  it('includes the instances that refer to one, and an instance is read by its id', async () => {
    const { supplier } = await dataOf(`{
      supplier(instanceId: "1") {
        id __typename name
        purchaseRequests(where: { status: { in: [APPROVED, SUBMITTED] } }, first: 2) { nodes { supplier { instanceId } } }
      }
    }`);

    const { id, purchaseRequests, ...record } = supplier;
    const own = { supplier: { instanceId: '1' } };
    expect(purchaseRequests.nodes).toEqual([own, own]);
    expect(calls).toEqual(['getFormIntance', LIST]);
    expect(record.__typename).toBe('Supplier');
    expect(await dataOf(`{ node(id: "${id}") { __typename ... on Supplier { name } } }`)).toEqual({
      node: record,
    });
  });

  it('equals the generic list, whose instances have their types too', async () => {
    const data = await dataOf(`{
      typed: suppliers(first: 3) { nodes { values name } }
      generic: instances(formId: "supplier", first: 3) { nodes { values ... on Supplier { name } } }
      missing: supplier(instanceId: "4711") { name }
    }`);

    expect(data.typed).toEqual(data.generic);
    expect(data.missing).toBeNull();
  });
});

describe('a filter', () => {
  it.each([
    ['amount: { lte: "90" }', ['64.75', '89.9']],
    ['amount: { gt: 18650, lt: 24801 }', ['24800']],
    ['title: { contains: "TRAINING" }', ['1560', '2600', '3450']],
    ['title: { startsWith: "presentation" }', ['2600']],
  ])('%s finds the matching instances', async (where, amounts) => {
    const { purchaseRequests } = await dataOf(
      `{ purchaseRequests(where: { ${where} }, orderBy: [{ field: AMOUNT, direction: ASC }], first: 3) { nodes { amount } } }`,
    );

    expect(purchaseRequests.nodes).toEqual(amounts.map((amount) => ({ amount })));
  });

  it('rejects a text that the platform’s patterns cannot express, without a call', async () => {
    const { errors } = await execute(
      '{ purchaseRequests(where: { title: { contains: "5%" } }) { totalCount } }',
    );

    expect(errors).toMatchObject([
      { message: expect.stringContaining('"%"'), extensions: { code: 'BAD_USER_INPUT' } },
    ]);
    expect(calls).toEqual([]);
  });

  it.each([
    [{ any: null }, []],
    [{ any: '*', special: '?' }, ['contains', 'startsWith']],
  ])(
    'has patterns only where the dialect has them, and writes them in its syntax: %j',
    async (pattern, words) => {
      const UPSTREAM_DIALECT = writeDialect({ search: { pattern } });
      const gateway = await startCountedGateway({ ...TYPED, UPSTREAM_DIALECT });

      const data = await gateway.dataOf(`{
        __type(name: "TextFilterInput") { inputFields { name } }
        purchaseRequests(where: { title: { like: "a" } }) { totalCount }
      }`);

      expect(namesOf(data.__type.inputFields)).toEqual([
        'eq',
        'ne',
        ...words,
        'like',
        'in',
        'notIn',
      ]);
    },
  );
});

describe('conditions on the target of a reference', () => {
  const GERMAN = '{ supplier: { where: { country: { eq: DE } } } }';

  it('find the instances that refer to a matching one, with two calls', async () => {
    const query = `{ purchaseRequests(where: ${GERMAN}, first: 100) { nodes { instanceId } } }`;
    const plan = await planOf(url, query);
    expect(calls).toEqual([]);
    const found = await dataOf(query);
    expect(calls).toEqual([LIST, LIST]);
    expect(plan.calls.most).toBe(2);
    expect(plan.steps).toMatchObject([{ operation: LIST }, { operation: LIST }]);

    const all = await dataOf(
      '{ purchaseRequests(first: 100) { nodes { instanceId supplier { country } } } }',
    );
    const german = all.purchaseRequests.nodes.filter(
      ({ supplier }: { supplier: { country: string } | null }) => supplier?.country === 'DE',
    );
    expect(german.length).toBeGreaterThan(0);
    expect(found.purchaseRequests.nodes).toEqual(
      german.map(({ instanceId }: { instanceId: string }) => ({ instanceId })),
    );
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
      expect(status).toMatch(/^(APPROVED|SUBMITTED)$/);
      expect(supplier).toMatchObject({
        instanceId: expect.not.stringMatching(/^1$/),
        active: true,
      });
      expect(Number(supplier.rating)).toBeGreaterThanOrEqual(4);
      expect(requester).toEqual({
        department: 'ENGINEERING',
        manager: { instanceId: expect.stringMatching(/^[14]$/) },
      });
    }
  });

  it('are read once for all lists of an operation that have them', async () => {
    await dataOf(`{
      a: purchaseRequests(where: ${GERMAN}, first: 1) { totalCount }
      b: purchaseRequests(where: ${GERMAN}, first: 2) { totalCount }
      employees(first: 3) { nodes { purchaseRequests(where: ${GERMAN}, first: 1) { totalCount } } }
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

  /** The error of conditions that too many instances meet. */
  const tooWide = (found: number, limit: number) => [
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
  ];

  it('that more than 100 instances meet are refused with their number and the limit', async () => {
    const definitions = defineThings({ things: 5, owners: 101 });
    const gateway = await startCountedGateway(TYPED, { definitions });
    gateway.calls.length = 0;
    const find = (owner: string) =>
      gateway.execute(`{ things(where: { owner: { where: ${owner} } }) { nodes { name } } }`);

    expect((await find('{}')).errors).toEqual(tooWide(101, 100));
    expect(gateway.calls).toEqual([LIST]);
    const { data } = await find('{ instanceId: { ne: "5" } }');
    expect(data.things.nodes).toHaveLength(4);
  });

  it('are bound by the ids that a look-up of the platform may have', async () => {
    const UPSTREAM_DIALECT = writeDialect({ search: { maxIds: 3 } });
    const { execute } = await startCountedGateway({ ...TYPED, UPSTREAM_DIALECT });

    const { errors } = await execute(
      '{ purchaseRequests(where: { supplier: { where: {} } }) { totalCount } }',
    );

    expect(errors).toEqual(tooWide(12, 3));
  });

  it('go one reference far, and need a platform that searches by several ids', async () => {
    const { errors } = await execute(
      '{ expenses(where: { purchaseRequest: { where: { supplier: { where: {} } } } }) { totalCount } }',
    );
    expect(errors?.[0]?.message).toContain('"where" is not defined by type "IDFilterInput"');

    const UPSTREAM_DIALECT = writeDialect({ search: { operators: { IN: null } } });
    const without = await startCountedGateway({ ...TYPED, UPSTREAM_DIALECT });
    const { __type } = await without.dataOf(
      '{ __type(name: "PurchaseRequestFilterInput") { inputFields { name type { name } } } }',
    );
    expect(__type.inputFields).toContainEqual({
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
      both: purchaseRequests(where: { status: { in: [] }, supplier: { where: {} } }) { totalCount }
    }`);

    expect(data).toEqual({
      typed: { totalCount: 0, nodes: [], pageInfo: { hasNextPage: false, endCursor: null } },
      generic: { totalCount: 0 },
      target: { totalCount: 0 },
      both: { totalCount: 0 },
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
      one: suppliers(where: { instanceId: { eq: "1" } }, first: 0) { totalCount }
    }`);

    const empty = { nodes: [], totalCount: 12 };
    expect(data.typed).toEqual({
      ...empty,
      edges: [],
      pageInfo: { hasNextPage: true, startCursor: null },
    });
    expect(data.generic).toEqual(empty);
    expect(data.forms).toEqual({ totalCount: 4, nodes: [] });
    expect(data.supplier.purchaseRequests.totalCount).toBe(data.rows.nodes.length);
    expect(data.one.totalCount).toBe(1);
    expect(calls.toSorted()).toEqual(['getFormIntance', LIST, LIST, LIST, LIST, 'getForms']);
  });

  it.each([
    ['{ name: { eq: "-" } }', false],
    ['{ name: { in: [] } }', false],
    ['{ instanceId: { eq: "1" } }', true],
  ])('has a next page if there are rows: %s', async (where, hasNextPage) => {
    const { suppliers } = await dataOf(
      `{ suppliers(where: ${where}, first: 0) { pageInfo { hasNextPage } } }`,
    );

    expect(suppliers.pageInfo).toEqual({ hasNextPage });
  });

  it('has no next page after the last row', async () => {
    const query = `query ($first: Int, $after: String) {
      suppliers(where: { instanceId: { eq: "1" } }, first: $first, after: $after) { pageInfo { endCursor hasNextPage } }
    }`;
    const { suppliers } = await dataOf(query, { first: 1 });

    const after = await dataOf(query, { first: 0, after: suppliers.pageInfo.endCursor });

    expect(after.suppliers.pageInfo.hasNextPage).toBe(false);
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
    const { __type } = await dataOf(
      '{ __type(name: "PurchaseRequestOrderField") { enumValues { name } } }',
    );

    expect(namesOf(__type.enumValues)).toEqual([
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

describe('the schema', () => {
  it('has the enum values in the platform’s order, in its SDL and by introspection', async () => {
    const { __type } = await dataOf(
      '{ __type(name: "PurchaseRequestStatus") { enumValues { name } } }',
    );
    const sdl = await (await fetch(`${url}/schema.graphql`)).text();

    const names = ['DRAFT', 'SUBMITTED', 'APPROVED', 'REJECTED'];
    expect(namesOf(__type.enumValues)).toEqual(names);
    const [, printed = ''] = /enum PurchaseRequestStatus \{(.*?)\}/s.exec(sdl) ?? [];
    expect(printed.match(/\b[A-Z]+$/gm)).toEqual(names);
  });

  it('describes the format of each custom scalar', async () => {
    const { __schema } = await dataOf('{ __schema { types { kind name specifiedByURL } } }');

    const unsaid = __schema.types.filter(
      ({ kind, specifiedByURL }: { kind: string; specifiedByURL: string | null }) =>
        kind === 'SCALAR' && specifiedByURL === null,
    );
    expect(namesOf(unsaid).sort()).toEqual(['Boolean', 'Float', 'ID', 'Int', 'String']);
  });
});
