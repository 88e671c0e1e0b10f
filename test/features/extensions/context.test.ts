import { describe, expect, it } from 'vitest';

import { shareExtended } from './support/start.ts';

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

const READS = `
const RULE = '{ rule(component: "none", version: "1") { name } }';
const toCode = ({ message, extensions }) => ({ message, code: extensions.code });
export default {
  typeDefs: \`
    extend type Query { deep(levels: Int!): Int  caught: JSON  passed: Int  copied: String }
    extend type Supplier { again: String }
  \`,
  resolvers: {
    Query: {
      async deep(_source, { levels }, { query }) {
        return levels === 0 ? 0 : 1 + (await query('query ($levels: Int!) { deep(levels: $levels) }', { levels: levels - 1 })).deep;
      },
      caught: { calls: 1, resolve: (_s, _a, { query }) => query(RULE).catch(toCode) },
      passed: { calls: 1, resolve: (_s, _a, { query }) => query(RULE) },
      copied(_source, _args, context) {
        const { query, signal, fetch, log, ...rest } = { ...context };
        return [typeof query, signal.aborted, typeof fetch, typeof log.warn, 'caller' in rest].join();
      },
    },
    Supplier: {
      again: {
        calls: 1,
        needs: '{ instanceId }',
        resolve: async ({ instanceId }, _a, { query }) => (await query('query ($id: ID!) { supplier(instanceId: $id) { name } }', { id: instanceId })).supplier.name,
      },
    },
  },
};`;

describe('context.query', () => {
  const gateway = shareExtended({ 'reads.js': READS, 'writes.js': WRITES });

  it('writes to the platform in mutations, and later fields see the effect', async () => {
    const count = async () =>
      (await gateway.dataOf('{ purchaseRequests(first: 1) { totalCount } }')).purchaseRequests
        .totalCount;
    const before = await count();

    const data = await gateway.dataOf(`mutation {
      openRequest(title: "Chairs", requester: "1") { request { title status amount requester { instanceId } } caseId }
    }`);

    expect(data.openRequest).toEqual({
      request: { title: 'Chairs', status: 'DRAFT', amount: '12.5', requester: { instanceId: '1' } },
      caseId: expect.stringMatching(/^\d+$/),
    });
    expect(await count()).toBe(before + 1);
  });

  it('reports values that the platform rejects', async () => {
    const { errors } = await gateway.execute(
      `mutation { openRequest(title: "${'x'.repeat(121)}", requester: "1") { caseId } }`,
    );

    const violations = [{ path: ['input', 'values', 'title'], limit: 120 }];
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', violations } }]);
  });

  it('makes no writes, sign-ins or sign-outs in queries', async () => {
    const answers = [
      await gateway.execute('{ sneaky }'),
      await gateway.execute('mutation { leave }'),
    ];

    const errors = [{ extensions: { code: 'EXTENSION_FAILED' } }];
    expect(answers).toMatchObject([
      { data: { sneaky: null }, errors },
      { data: { leave: null }, errors },
    ]);
    expect(gateway.calls).toEqual([]);
    expect(gateway.lines.join()).toContain('Only fields of Mutation may change the platform.');
  });

  it('may select own fields that run documents, three deep', async () => {
    const { data, errors } = await gateway.execute(
      '{ three: deep(levels: 3) four: deep(levels: 4) }',
    );

    expect(data).toEqual({ three: 3, four: null });
    expect(errors).toMatchObject([{ path: ['four'], extensions: { code: 'EXTENSION_FAILED' } }]);
  });

  it('throws the first error with its code, which the resolver may catch', async () => {
    const { data, errors = [] } = await gateway.execute('{ caught passed }');

    expect(errors).toMatchObject([
      {
        path: ['passed'],
        extensions: { code: 'RULE_UNAVAILABLE', upstream: { operation: 'getParameters' } },
      },
    ]);
    expect(data.caught).toEqual({ code: 'RULE_UNAVAILABLE', message: errors[0]?.message });
  });

  it('reads records that the operation has already read without a call', async () => {
    const { supplier } = await gateway.dataOf('{ supplier(instanceId: "1") { name again } }');

    expect(supplier.again).toBe(supplier.name);
    expect(gateway.calls).toHaveLength(1);
  });

  it('is in a context that can be copied with all of its members', async () => {
    expect(await gateway.dataOf('{ copied }')).toEqual({
      copied: 'function,false,function,function,true',
    });
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

describe('an extension with a state of its own', () => {
  const gateway = shareExtended({ 'keeps.js': KEEPS }, { CACHE_INSTANCES_MS: '60000' });
  const QUERY = '{ supplier(instanceId: "1") { name tick } }';
  const readTick = async () => (await gateway.dataOf(QUERY)).supplier.tick;

  it('cannot use the context of a request that has ended', async () => {
    await gateway.execute('{ keep }');

    const { data, errors } = await gateway.execute(
      '{ queryOfBefore fetchOfBefore callerOfBefore signalOfBefore }',
    );

    expect(new Set(Object.values(data))).toEqual(new Set([null]));
    expect(errors).toHaveLength(4);
    expect(gateway.calls).toEqual([]);
    const reasons = gateway.logged().flatMap(({ extension, reason }) => (extension ? reason : []));
    expect(new Set(reasons)).toEqual(new Set(['This belongs to a request that has ended.']));
  });

  it('shares the response of concurrent equal queries, which is not cached', async () => {
    // Known operations run at once, and so meet.
    const first = await readTick();
    gateway.calls.length = 0;

    const together = await Promise.all([readTick(), readTick(), readTick()]);
    const later = await readTick();

    expect(later).toBeGreaterThan(Math.max(...together));
    expect(Math.min(...together)).toBeGreaterThan(first);
    expect(gateway.calls).toEqual([]);
  });

  it('has responses that are not cacheable over HTTP', async () => {
    const read = () =>
      fetch(`${gateway.url}/graphql?query=${encodeURIComponent(QUERY)}`, {
        headers: { 'x-apollo-operation-name': 'a' },
      });

    const [first, second] = [(await read()).headers, (await read()).headers];

    expect(first.get('etag')).not.toBe(second.get('etag'));
    expect(second.get('cache-control')).not.toMatch(/max-age=[1-9]/);
  });
});
