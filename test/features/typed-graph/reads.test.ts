import { describe, expect, it } from 'vitest';

import { startCountedGateway } from '../../support/gateway.ts';

const TYPED = { TYPED_FORMS: '*' };

const INBOX = `{
  purchaseRequests(where: { amount: { gt: 1000 } }, orderBy: [{ amount: DESC }], first: 20) {
    nodes { amount status supplier { name country } requester { name manager { name } } }
  }
}`;

describe('a typed list', () => {
  it('includes references with one call for each level', async () => {
    const { execute, calls } = await startCountedGateway(TYPED);
    expect(calls.splice(0)).toEqual(['getToken', 'getForms']);

    const { data, errors } = await execute(INBOX);

    expect(errors).toBeUndefined();
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
    // The list, its suppliers, its requesters, and those of their managers who are none of them.
    expect(calls).toEqual(['getFormIntances', 'getFormIntances', 'getFormIntances', 'getFormIntances']);
  });

  it('includes the instances that refer to one, and an instance is read by its id', async () => {
    const { execute, calls } = await startCountedGateway(TYPED);
    calls.splice(0);

    const { data, errors } = await execute(`{
      supplier(instanceId: "1") {
        id __typename name
        purchaseRequests(where: { status: { in: [APPROVED, SUBMITTED] } }, orderBy: [{ amount: DESC }], first: 2) {
          nodes { instanceId amount supplier { instanceId } }
        }
      }
    }`);

    expect(errors).toBeUndefined();
    const { id, __typename, purchaseRequests } = data.supplier;
    expect(__typename).toBe('Supplier');
    expect(purchaseRequests.nodes.map((node: { supplier: object }) => node.supplier)).toEqual([
      { instanceId: '1' },
      { instanceId: '1' },
    ]);
    expect(calls).toEqual(['getFormIntance', 'getFormIntances']);
    const { data: same } = await execute(`{ node(id: "${id}") { __typename ... on Supplier { name } } }`);
    expect(same.node).toEqual({ __typename: 'Supplier', name: data.supplier.name });
  });

  it('equals the generic list, whose instances have their types too', async () => {
    const { execute } = await startCountedGateway(TYPED);

    const { data, errors } = await execute(`{
      typed: suppliers(first: 3) { nodes { values name } }
      generic: instances(formId: "supplier", first: 3) { nodes { values ... on Supplier { name } } }
      missing: supplier(instanceId: "4711") { name }
    }`);

    expect(errors).toBeUndefined();
    expect(data.typed).toEqual(data.generic);
    expect(data.missing).toBeNull();
  });
});
