import { describe, expect, it } from 'vitest';

import { planOf } from '../../support/plan.ts';
import { shareExtended } from './support/start.ts';

const NEEDS = `
let batches = [];
export default {
  typeDefs: \`
    extend type PurchaseRequest { label: String  size: Int  all: JSON  bare: JSON  failing: String }
    extend type Supplier { titles: [String!] }
    extend type Query { hello: String  batches: [Int!]! }
  \`,
  resolvers: {
    PurchaseRequest: {
      label: { needs: '{ title supplier { name } }', resolve: ({ title, supplier }) => title + ' by ' + (supplier?.name ?? 'nobody') },
      size: { needs: '{ supplier { name } }', batch: (all) => { batches.push(all.length); return all.map(() => all.length); } },
      all: { needs: '{ id status amount createdAt mine: title supplier { purchaseRequests(first: 1) { nodes { instanceId } } } }', resolve: (source) => source },
      bare: (source) => source,
      failing: { needs: '{ value(field: "title") reference(field: "title") { id } }', resolve: () => 'never' },
    },
    Supplier: {
      titles: { needs: '{ purchaseRequests(first: 2) { nodes { title } } }', resolve: (supplier) => supplier.purchaseRequests.nodes.map(({ title }) => title) },
    },
    Query: {
      hello: { needs: '{ supplier(instanceId: "1") { name } }', resolve: ({ supplier }) => 'Hello, ' + supplier.name },
      batches: () => batches.splice(0),
    },
  },
};`;

const SHOUT = `export default {
  typeDefs: 'extend type PurchaseRequest { shout: String }',
  resolvers: { PurchaseRequest: { shout: { needs: '{ label }', resolve: ({ label }) => label.toUpperCase() } } },
};`;

interface Row {
  readonly title: string;
  readonly label: string;
  readonly supplier: { readonly name: string } | null;
}

describe('the selection that a field needs', () => {
  const gateway = shareExtended({ 'a.js': NEEDS, 'b.js': SHOUT });

  it('is read by the calls of an equal client selection, and has the graph’s names', async () => {
    const { data, errors } = await gateway.execute(
      '{ purchaseRequests(first: 100) { nodes { label size } } }',
    );
    const own = gateway.calls.splice(0);
    const client = await gateway.dataOf(
      '{ purchaseRequests(first: 100) { nodes { title supplier { name } } } }',
    );

    expect(errors).toBeUndefined();
    expect(own).toEqual(gateway.calls);
    expect(own).toHaveLength(2);
    expect(data.purchaseRequests.nodes.map(({ label }: Row) => label)).toEqual(
      client.purchaseRequests.nodes.map(
        ({ title, supplier }: Row) => `${title} by ${supplier?.name ?? 'nobody'}`,
      ),
    );
  });

  it('is one batch, whether or not a part of it comes later', async () => {
    await gateway.execute('{ batches }');

    const { purchaseRequests } = await gateway.dataOf(
      '{ purchaseRequests(first: 60) { nodes { size supplier { name } } } }',
    );

    const { nodes } = purchaseRequests;
    expect(nodes.some(({ supplier }: Row) => supplier === null)).toBe(true);
    expect(await gateway.dataOf('{ batches }')).toEqual({ batches: [nodes.length] });
  });

  it('may be nested, of lists and at the root; without it there is the id alone', async () => {
    const data = await gateway.dataOf(
      '{ hello purchaseRequests(first: 1) { nodes { id title status amount createdAt all bare supplier { titles } } } }',
    );

    expect(data.hello).toMatch(/^Hello, \w/);
    const [{ all, bare, supplier, title, ...rest }] = data.purchaseRequests.nodes;
    expect(bare).toEqual({ id: rest.id });
    expect(all).toEqual({
      ...rest,
      mine: title,
      supplier: { purchaseRequests: { nodes: [{ instanceId: expect.any(String) }] } },
    });
    expect(supplier.titles.length).toBeGreaterThan(0);
  });

  it('fails the field with the code of its failure, and nothing beside it', async () => {
    const { data, errors } = await gateway.execute(
      '{ purchaseRequest(instanceId: "1") { title failing } }',
    );

    expect(data.purchaseRequest).toEqual({ title: expect.any(String), failing: null });
    expect(errors).toMatchObject([
      { path: ['purchaseRequest', 'failing'], extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });

  it('may name fields of an earlier module, whose cost counts', async () => {
    const { data } = await gateway.execute('{ purchaseRequest(instanceId: "1") { label shout } }');

    expect(data.purchaseRequest.shout).toBe(data.purchaseRequest.label.toUpperCase());
    expect(
      (await planOf(gateway.url, '{ purchaseRequests(first: 60) { nodes { shout } } }')).steps,
    ).toContainEqual(
      expect.objectContaining({ field: 'purchaseRequests.nodes.shout.label.supplier' }),
    );
  });

  it('is not read where a condition leaves the field out', async () => {
    await gateway.execute(
      'query ($no: Boolean!) { purchaseRequests(first: 60) { nodes { title label @include(if: $no) } } }',
      {
        no: false,
      },
    );

    expect(gateway.calls).toEqual(['getFormIntances']);
  });

  it('costs as much as if the client selected it, and nothing if the client does', async () => {
    const list = { field: 'purchaseRequests', operation: 'getFormIntances', calls: 1, objects: 1 };
    const supplier = (field: string) => ({
      field,
      operation: 'getFormIntances',
      calls: 1,
      objects: 60,
    });

    expect(
      (await planOf(gateway.url, '{ purchaseRequests(first: 60) { nodes { label } } }')).steps,
    ).toEqual([list, supplier('purchaseRequests.nodes.label.supplier')]);
    expect(
      (
        await planOf(
          gateway.url,
          '{ purchaseRequests(first: 60) { nodes { supplier { id } label size } } }',
        )
      ).steps,
    ).toEqual([list, supplier('purchaseRequests.nodes.supplier')]);
  });
});
