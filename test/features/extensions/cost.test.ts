import { describe, expect, it } from 'vitest';

import { planOf } from '../../support/plan.ts';
import { shareExtended, startExtended, startService } from './support/start.ts';

const costly = (url = 'http://127.0.0.1:9') => `
export default {
  typeDefs: \`
    extend type Supplier { each: Int  together: Int  free: Int }
    extend type Query { one: Supplier  many: [Supplier!] }
  \`,
  resolvers: {
    Supplier: {
      each: { calls: 2, resolve: async (_s, _a, { fetch }) => (await fetch('${url}')).status },
      together: { calls: 3, batch: async (all, _a, { fetch }) => { await fetch('${url}'); return all.map(() => 1); } },
      free: () => 1,
    },
    Query: {
      one: () => null,
      many: () => [],
    },
  },
};`;

describe('the declared calls of an own field', () => {
  const gateway = shareExtended({ 'costly.js': costly() });

  it('count for each object, and once for a batch, in the plan', async () => {
    const { calls, steps } = await planOf(
      gateway.url,
      '{ suppliers(first: 10) { nodes { each together free } } }',
    );

    expect(calls).toEqual({ most: 1 + 20 + 3, allowed: 120 });
    const step = { operation: 'extension', objects: 10 };
    expect(steps.slice(1)).toEqual([
      { ...step, field: 'suppliers.nodes.each', calls: 20 },
      { ...step, field: 'suppliers.nodes.together', calls: 3 },
    ]);
  });
  it('count below own fields, by the assumed length of a list', async () => {
    expect(await planOf(gateway.url, '{ one { each name } }')).toMatchObject({
      calls: { most: 3 },
    });
    expect(
      await planOf(gateway.url, '{ many { each purchaseRequests { totalCount } } }'),
    ).toMatchObject({
      calls: { most: 30 },
    });
  });

  it('reject an operation above COST_MAX_CALLS before the first call', async () => {
    const { status, errors } = await gateway.execute('{ suppliers(first: 60) { nodes { each } } }');

    expect(status).toBe(400);
    expect(errors).toMatchObject([{ extensions: { code: 'COST_EXCEEDED' } }]);
    expect(gateway.calls).toEqual([]);
  });

  it('are enforced during execution', async () => {
    const service = await startService(() => ({}));
    const { execute, calls } = await startExtended({
      'greedy.js': `
        const LIST = '{ suppliers(first: 1) { nodes { id } } }';
        export default {
          typeDefs: 'extend type Query { fetches(count: Int!): Int  queries: Int  silent: Int  mixed: Int }',
          resolvers: {
            Query: {
              fetches: { calls: 2, async resolve(_s, { count }, { fetch }) { for (let n = 0; n < count; n++) await fetch('${service.url}'); return count; } },
              queries: { calls: 1, async resolve(_s, _a, { query }) { await query(LIST); await query('{ forms(first: 1) { totalCount } }'); return 2; } },
              silent: async (_s, _a, { query }) => (await query(LIST)).suppliers.nodes.length,
              mixed: { calls: 1, async resolve(_s, _a, { query, fetch }) { await query(LIST); await fetch('${service.url}'); return 2; } },
            },
          },
        };`,
    });
    calls.length = 0;

    const { data, errors } = await execute(
      '{ two: fetches(count: 2) three: fetches(count: 3) queries silent mixed }',
    );

    expect(data).toEqual({ two: 2, three: null, queries: null, silent: null, mixed: null });
    const needs = (field: string, calls: number, allowed: number) =>
      `The \`calls\` of Query.${field} allow ${allowed}, and it needs ${calls}; nothing more was called.`;
    expect(errors).toMatchObject(
      Object.entries({
        three: needs('fetches', 3, 2),
        queries: needs('queries', 2, 1),
        silent: needs('silent', 1, 0),
        mixed: needs('mixed', 2, 1),
      }).map(([field, message]) => ({
        path: [field],
        message,
        extensions: { code: 'COST_EXCEEDED' },
      })),
    );
    expect(service.calls).toHaveLength(4);
    expect(calls).toEqual(['getFormIntances']);
  });

  it('are for each resolve: another object has its own', async () => {
    const service = await startService(() => ({}));
    const text = costly(service.url).replace('calls: 2', 'calls: 1');
    const { execute } = await startExtended({ 'costly.js': text });

    const { errors } = await execute('{ suppliers(first: 5) { nodes { each } } }');

    expect(errors).toBeUndefined();
    expect(service.calls).toHaveLength(5);
  });

  it('are not all: an operation makes no more than COST_MAX_CALLS, however long a list turns out', async () => {
    const service = await startService(() => ({}));
    const text = costly(service.url)
      .replace(
        'many: () => []',
        'many: { needs: "{ suppliers { nodes { id } } }", resolve: ({ suppliers: { nodes } }) => [...nodes, ...nodes, ...nodes] }',
      )
      .replace('calls: 2', 'calls: 1');
    const { execute } = await startExtended({ 'costly.js': text }, { COST_MAX_CALLS: '11' });

    const { errors = [] } = await execute('{ many { each } }');

    expect(service.calls).toHaveLength(10);
    expect(new Set(errors.map(({ extensions }) => extensions['code']))).toEqual(
      new Set(['COST_EXCEEDED']),
    );
  });
});
