import { describe, expect, it } from 'vitest';

import { writeFolder } from '../../support/folder.ts';
import { runMain } from '../../support/run.ts';
import { startExtended, startService } from './support/start.ts';

const costly = (url = 'http://127.0.0.1:9') => `
export default {
  typeDefs: \`
    extend type Supplier { each: Int  together: Int  free: Int }
    extend type Query { related: SupplierConnection  many: [Supplier!] }
  \`,
  resolvers: {
    Supplier: {
      each: { calls: 2, resolve: async (_s, _a, { fetch }) => (await fetch('${url}')).status },
      together: { calls: 3, batch: async (all, _a, { fetch }) => { await fetch('${url}'); return all.map(() => 1); } },
      free: () => 1,
    },
    Query: {
      related: { calls: 1, resolve: (_s, _a, { platform }) => platform.query.suppliers({ first: 2 }) },
      many: () => [],
    },
  },
};`;

async function plan(url: string, query: string) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-caseway-explain': 'plan' },
    body: JSON.stringify({ query }),
  });
  const { extensions } = (await response.json()) as {
    readonly extensions: { readonly plan: { readonly calls: object; readonly steps: readonly object[] } };
  };
  return extensions.plan;
}

describe('the declared calls of an own field', () => {
  it('count for each object, and once for a batch, in the plan', async () => {
    const { url } = await startExtended({ 'costly.js': costly() });

    const { calls, steps } = await plan(url, '{ suppliers(first: 10) { nodes { each together free } } }');

    expect(calls).toEqual({ most: 1 + 20 + 3, allowed: 120 });
    expect(steps).toContainEqual({ field: 'suppliers.nodes.each', operation: 'extension', calls: 20, objects: 10 });
    expect(steps).toContainEqual({ field: 'suppliers.nodes.together', operation: 'extension', calls: 3, objects: 10 });
  });

  it('count below own fields by the length of a connection, or the assumed length of a list', async () => {
    const { url } = await startExtended({ 'costly.js': costly() });

    expect(await plan(url, '{ related { nodes { each } } }')).toMatchObject({ calls: { most: 1 + 40 } });
    expect(await plan(url, '{ many { each purchaseRequests { totalCount } } }')).toMatchObject({ calls: { most: 30 } });
  });

  it('reject an operation above COST_MAX_CALLS before the first call', async () => {
    const service = await startService(() => ({}));
    const { execute, calls } = await startExtended({ 'costly.js': costly(service.url) });
    calls.length = 0;

    const { status, errors } = await execute('{ suppliers(first: 60) { nodes { each } } }');

    expect(status).toBe(400);
    expect(errors).toMatchObject([{ extensions: { code: 'COST_EXCEEDED' } }]);
    expect([...calls, ...service.calls]).toEqual([]);
  });

  it('are enforced during execution', async () => {
    const service = await startService(() => ({}));
    const text = costly(service.url).replace('calls: 2', 'calls: 0');
    const { execute } = await startExtended({ 'costly.js': text }, { COST_MAX_CALLS: '4' });

    const { data, errors } = await execute('{ suppliers(first: 5) { nodes { each } } }');

    expect(service.calls).toHaveLength(3);
    expect(data.suppliers.nodes.filter(({ each }: { each: number | null }) => each === 200)).toHaveLength(3);
    expect(errors).toMatchObject(Array(2).fill({ extensions: { code: 'COST_EXCEEDED' } }));
  });

  it('are shown by npm run explain', async () => {
    const folder = writeFolder({
      'own.js':
        'export default { typeDefs: "extend type Query { rate: Int }", resolvers: { Query: { rate: { calls: 7, resolve: () => 1 } } } };',
      'queries/rate.graphql': 'query Rate { rate }',
    });

    const { code, stdout } = await runMain(['explain', `${folder}/queries`], { EXTENSIONS: `${folder}/own.js` }).ended;

    expect(stdout).toMatch(/at most 7 calls/);
    expect(stdout).toMatch(/7 × extension +rate/);
    expect(code).toBe(0);
  });
});
