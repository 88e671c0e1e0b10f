import { describe, expect, it } from 'vitest';

import { startExtended } from './support/start.ts';

const WRITES = `
export default {
  typeDefs: \`
    type Opened { request: PurchaseRequest!  caseId: ID! }
    extend type Mutation { openRequest(title: String!, requester: ID!): Opened!  leave: Int }
    extend type Query { sneaky: String }
  \`,
  resolvers: {
    Mutation: {
      openRequest: {
        calls: 2,
        async resolve(_source, { title, requester }, { query }) {
          const values = { title, amount: '12.50', quantity: '1', status: 'DRAFT', requester };
          const CREATE = 'mutation ($input: CreatePurchaseRequestInput!) { createPurchaseRequest(input: $input) { instance { id instanceId } } }';
          const { instance } = (await query(CREATE, { input: { values } })).createPurchaseRequest;
          const START = 'mutation ($input: StartCaseInput!) { startCase(input: $input) { case { caseId } } }';
          const input = { process: 'purchase-approval', values: { purchaseRequest: Number(instance.instanceId), title, amount: 12.5 } };
          return { request: instance, caseId: (await query(START, { input })).startCase.case.caseId };
        },
      },
      leave: (_source, _args, { query }) => query('mutation { signOut { __typename } }'),
    },
    Query: {
      sneaky: async (_source, _args, { query }) => String(await query('mutation { deleteSupplier(input: { instanceId: "1" }) { clientMutationId: __typename } }')),
    },
  },
};`;

describe('context.query', () => {
  it('writes to the platform in mutations, and later fields see the effect', async () => {
    const { execute, dataOf } = await startExtended({ 'writes.js': WRITES });
    const count = async () => (await execute('{ purchaseRequests(first: 1) { totalCount } }')).data;
    const before = (await count()).purchaseRequests.totalCount;

    const data = await dataOf(`mutation {
      openRequest(title: "Chairs", requester: "1") { request { title status amount requester { instanceId } } caseId }
    }`);

    expect(data.openRequest).toEqual({
      request: { title: 'Chairs', status: 'DRAFT', amount: '12.5', requester: { instanceId: '1' } },
      caseId: expect.stringMatching(/^\d+$/),
    });
    expect((await count()).purchaseRequests.totalCount).toBe(before + 1);
  });

  it('reports values that the platform rejects', async () => {
    const { execute } = await startExtended({ 'writes.js': WRITES });

    const { errors } = await execute(
      `mutation { openRequest(title: "${'x'.repeat(121)}", requester: "1") { caseId } }`,
    );

    expect(errors).toMatchObject([
      {
        extensions: {
          code: 'BAD_USER_INPUT',
          violations: [{ path: ['input', 'values', 'title'], limit: 120 }],
        },
      },
    ]);
  });

  it('makes no writes, sign-ins or sign-outs in queries', async () => {
    const { execute, calls, logged } = await startExtended({ 'writes.js': WRITES });
    calls.length = 0;

    const answers = [await execute('{ sneaky }'), await execute('mutation { leave }')];

    const failed = [{ extensions: { code: 'EXTENSION_FAILED' } }];
    expect(answers).toMatchObject([
      { data: { sneaky: null }, errors: failed },
      { data: { leave: null }, errors: failed },
    ]);
    expect(calls).toEqual([]);
    expect(logged()).toContainEqual(
      expect.objectContaining({ reason: 'Only fields of Mutation may change the platform.' }),
    );
  });

  it('may select own fields that run documents, three deep', async () => {
    const { execute } = await startExtended({
      'deep.js': `export default {
        typeDefs: 'extend type Query { deep(levels: Int!): Int }',
        resolvers: {
          Query: {
            async deep(_source, { levels }, { query }) {
              return levels === 0 ? 0 : 1 + (await query('query ($levels: Int!) { deep(levels: $levels) }', { levels: levels - 1 })).deep;
            },
          },
        },
      };`,
    });

    const { data, errors } = await execute('{ three: deep(levels: 3) four: deep(levels: 4) }');

    expect(data).toEqual({ three: 3, four: null });
    expect(errors).toMatchObject([{ path: ['four'], extensions: { code: 'EXTENSION_FAILED' } }]);
  });

  it('throws the first error with its code, which the resolver may catch', async () => {
    const { execute } = await startExtended({
      'own.js': `
        const READ = '{ rule(component: "none", version: "1") { name } }';
        export default {
          typeDefs: 'extend type Query { caught: JSON  passed: Int }',
          resolvers: {
            Query: {
              caught: { calls: 1, resolve: (_s, _a, { query }) => query(READ).catch(({ message, extensions }) => ({ message, code: extensions.code })) },
              passed: { calls: 1, resolve: (_s, _a, { query }) => query(READ) },
            },
          },
        };`,
    });

    const { data, errors = [] } = await execute('{ caught passed }');

    expect(errors).toMatchObject([
      {
        path: ['passed'],
        extensions: { code: 'RULE_UNAVAILABLE', upstream: { operation: 'getParameters' } },
      },
    ]);
    expect(data.caught).toEqual({ code: 'RULE_UNAVAILABLE', message: errors[0]?.message });
  });

  it('reads records that the operation has already read without a call', async () => {
    const { execute, calls } = await startExtended({
      'own.js': `export default {
        typeDefs: 'extend type Supplier { again: String }',
        resolvers: {
          Supplier: {
            again: {
              calls: 1,
              needs: '{ instanceId }',
              resolve: async ({ instanceId }, _a, { query }) => (await query('query ($id: ID!) { supplier(instanceId: $id) { name } }', { id: instanceId })).supplier.name,
            },
          },
        },
      };`,
    });
    calls.length = 0;

    const { data } = await execute('{ supplier(instanceId: "1") { name again } }');

    expect(data.supplier.again).toBe(data.supplier.name);
    expect(calls).toHaveLength(1);
  });
});

const KEEPS = `
let kept;
let ticks = 0;
export default {
  typeDefs: \`
    extend type Supplier { tick: Int! }
    extend type Query { keep: Int  queryOfBefore: String  fetchOfBefore: Int  callerOfBefore: String  signalOfBefore: String }
  \`,
  resolvers: {
    Supplier: { tick: () => ++ticks },
    Query: {
      keep: {
        calls: 9,
        resolve(_source, _args, context) {
          kept = context;
          return 1;
        },
      },
      queryOfBefore: async () => (await kept.query('{ suppliers(first: 1) { nodes { name } } }')).suppliers.nodes[0].name,
      fetchOfBefore: async () => (await kept.fetch('http://127.0.0.1:9/')).status,
      callerOfBefore: () => kept.caller?.name,
      signalOfBefore: () => String(kept.signal.aborted),
    },
  },
};`;

describe('the context of a resolver', () => {
  it('can be copied with all of its members', async () => {
    const { execute } = await startExtended({
      'copies.js': `export default {
        typeDefs: 'extend type Query { copied: String }',
        resolvers: {
          Query: {
            copied(_source, _args, context) {
              const { query, signal, fetch, log, ...rest } = { ...context };
              return [typeof query, signal.aborted, typeof fetch, typeof log.warn, 'caller' in rest].join();
            },
          },
        },
      };`,
    });

    expect((await execute('{ copied }')).data).toEqual({
      copied: 'function,false,function,function,true',
    });
  });

  it('throws on every access after the request has ended', async () => {
    const { execute, calls, logged } = await startExtended({ 'keeps.js': KEEPS });
    await execute('{ keep }');
    calls.length = 0;

    const { data, errors } = await execute(
      '{ queryOfBefore fetchOfBefore callerOfBefore signalOfBefore }',
    );

    expect(new Set(Object.values(data))).toEqual(new Set([null]));
    expect(errors).toHaveLength(4);
    expect(calls).toEqual([]);
    const reasons = logged()
      .filter(({ extension }) => extension === 'keeps.js')
      .map(({ reason }) => reason);
    expect(new Set(reasons)).toEqual(new Set(['This belongs to a request that has ended.']));
  });
});

describe('a response with own fields', () => {
  const QUERY = '{ supplier(instanceId: "1") { name tick } }';
  const env = { CACHE_INSTANCES_MS: '60000' };

  it('is shared by concurrent equal queries, and not cached', async () => {
    const { execute, calls } = await startExtended({ 'keeps.js': KEEPS }, env);
    // Known operations run at once, and so meet.
    const first = (await execute(QUERY)).data.supplier.tick;
    calls.length = 0;

    const together = await Promise.all([1, 2, 3].map(() => execute(QUERY)));
    const later = await execute(QUERY);

    const ticks = together.map(({ data }) => data.supplier.tick);
    expect(later.data.supplier.tick).toBeGreaterThan(Math.max(...ticks));
    expect(Math.min(...ticks)).toBeGreaterThan(first);
    expect(calls).toEqual([]);
  });

  it('is not cacheable over HTTP', async () => {
    const { url } = await startExtended({ 'keeps.js': KEEPS }, env);
    const ask = () =>
      fetch(`${url}/graphql?query=${encodeURIComponent(QUERY)}`, {
        headers: { 'x-apollo-operation-name': 'a' },
      });

    const tags = [await ask(), await ask()].map(({ headers }) => [
      headers.get('etag'),
      headers.get('cache-control'),
    ]);

    expect(tags[0]?.[0]).not.toBe(tags[1]?.[0]);
    expect(tags[1]?.[1]).not.toMatch(/max-age=[1-9]/);
  });
});
