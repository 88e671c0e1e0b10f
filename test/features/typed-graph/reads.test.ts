import { afterAll, beforeEach, describe, expect, it } from 'vitest';

import { startCountedGateway } from '../../support/gateway.ts';
import { writeDialect } from '../../support/write-dialect.ts';

const TYPED = { TYPED_FORMS: '*' };
const { execute, dataOf, url, calls, close } = await startCountedGateway(TYPED);
afterAll(close);

beforeEach(() => {
  calls.length = 0;
});

const INBOX = `{
  purchaseRequests(where: { amount: { gt: 1000 } }, orderBy: [{ field: AMOUNT, direction: DESC }], first: 20) {
    nodes { amount status supplier { name country } requester { name manager { name } } }
  }
}`;

describe('a typed list', () => {
  it('includes references with one call for each level', async () => {
    const data = await dataOf(INBOX);

    const { nodes } = data.purchaseRequests;
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
    // The list, its suppliers, its requesters, and the managers who are not among the requesters.
    expect(calls).toEqual([
      'getFormIntances',
      'getFormIntances',
      'getFormIntances',
      'getFormIntances',
    ]);
  });

  it('includes the instances that refer to one, and an instance is read by its id', async () => {
    const data = await dataOf(`{
      supplier(instanceId: "1") {
        id __typename name
        purchaseRequests(where: { status: { in: [APPROVED, SUBMITTED] } }, orderBy: [{ field: AMOUNT, direction: DESC }], first: 2) {
          nodes { instanceId amount supplier { instanceId } }
        }
      }
    }`);

    const { id, __typename, purchaseRequests } = data.supplier;
    expect(__typename).toBe('Supplier');
    expect(purchaseRequests.nodes.map((node: { supplier: object }) => node.supplier)).toEqual([
      { instanceId: '1' },
      { instanceId: '1' },
    ]);
    expect(calls).toEqual(['getFormIntance', 'getFormIntances']);
    const { data: same } = await execute(
      `{ node(id: "${id}") { __typename ... on Supplier { name } } }`,
    );
    expect(same.node).toEqual({ __typename: 'Supplier', name: data.supplier.name });
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
    ['amount: { gte: 24800 }', ['24800']],
    ['amount: { lte: "90" }', ['64.75', '89.9']],
    ['amount: { gt: 18650, lt: 24801 }', ['24800']],
    ['title: { contains: "TRAINING" }', ['1560', '2600', '3450']],
    ['title: { startsWith: "presentation" }', ['2600']],
    ['title: { startsWith: "training" }', ['3450']],
  ])('%s finds the matching instances', async (where, amounts) => {
    const data = await dataOf(
      `{ purchaseRequests(where: { ${where} }, orderBy: [{ field: AMOUNT, direction: ASC }], first: 3) { nodes { amount } } }`,
    );

    const found = data.purchaseRequests.nodes.map(({ amount }: { amount: string }) => amount);
    expect(found).toEqual(amounts);
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

  it('has patterns only where the dialect has them, and writes them in its syntax', async () => {
    const filters = async (pattern: object) => {
      const gateway = await startCountedGateway({
        ...TYPED,
        UPSTREAM_DIALECT: writeDialect({ search: { pattern } }),
      });
      const data = await gateway.dataOf(`{
        __type(name: "TextFilterInput") { inputFields { name } }
        purchaseRequests(where: { title: { like: "a" } }) { totalCount }
      }`);
      return data.__type.inputFields.map(({ name }: { name: string }) => name);
    };

    expect(await filters({ any: null })).toEqual(['eq', 'ne', 'like', 'in', 'notIn']);
    expect(await filters({ any: '*', special: '?' })).toEqual([
      'eq',
      'ne',
      'contains',
      'startsWith',
      'like',
      'in',
      'notIn',
    ]);
  });
});

describe('the schema', () => {
  it('has the enum values in the platform’s order, in its SDL and by introspection', async () => {
    const { data } = await execute(
      '{ __type(name: "PurchaseRequestStatus") { enumValues { name } } }',
    );
    const sdl = await (await fetch(`${url}/schema.graphql`)).text();

    const names = ['DRAFT', 'SUBMITTED', 'APPROVED', 'REJECTED'];
    expect(data.__type.enumValues.map(({ name }: { name: string }) => name)).toEqual(names);
    const [, printed = ''] = /enum PurchaseRequestStatus \{(.*?)\}/s.exec(sdl) ?? [];
    expect(printed.match(/^ {2}[A-Z]+$/gm)?.map((name) => name.trim())).toEqual(names);
  });

  it('describes the format of each custom scalar', async () => {
    const { data } = await execute('{ __schema { types { kind name specifiedByURL } } }');

    const scalars = data.__schema.types.filter(({ kind }: { kind: string }) => kind === 'SCALAR');
    const unsaid = scalars.filter(
      ({ specifiedByURL }: { specifiedByURL: string | null }) => specifiedByURL === null,
    );
    expect(unsaid.map(({ name }: { name: string }) => name).sort()).toEqual([
      'Boolean',
      'Float',
      'ID',
      'Int',
      'String',
    ]);
  });
});
