import { describe, expect, it } from 'vitest';

import { startExtended } from './support/start.ts';

const WRITES = `
export default {
  typeDefs: \`
    type Opened { request: PurchaseRequest!  case: Case! }
    extend type Mutation { openRequest(title: String!, requester: ID!): Opened! }
    extend type Query { sneaky: String  badArgs: String  unknownArg: String }
  \`,
  resolvers: {
    Mutation: {
      openRequest: {
        calls: 2,
        async resolve(_source, { title, requester }, { platform }) {
          const values = { title, amount: '12.50', quantity: '1', status: 'DRAFT', requester };
          const { instance } = await platform.mutation.createPurchaseRequest({ input: { values } });
          const { case: started } = await platform.mutation.startCase({
            input: { process: 'purchase-approval', values: { purchaseRequest: Number(instance.instanceId), title, amount: 12.5 } },
          });
          return { request: instance, case: started };
        },
      },
    },
    Query: {
      sneaky: async (_source, _args, { platform }) => String(await platform.mutation.deleteSupplier({ input: { instanceId: '1' } })),
      badArgs: async (_source, _args, { platform }) => (await platform.query.suppliers({ first: 'many' })).nodes[0].name,
      unknownArg: async (_source, _args, { platform }) => (await platform.query.suppliers({ limit: 1 })).nodes[0].name,
    },
  },
};`;

describe('context.platform', () => {
  it('writes to the platform in mutations, and later fields see the effect', async () => {
    const { execute } = await startExtended({ 'writes.js': WRITES });
    const count = async () => (await execute('{ purchaseRequests(first: 1) { totalCount } }')).data;
    const before = (await count()).purchaseRequests.totalCount;

    const { data, errors } = await execute(`mutation {
      openRequest(title: "Chairs", requester: "1") { request { title status amount requester { instanceId } } case { caseId } }
    }`);

    expect(errors).toBeUndefined();
    expect(data.openRequest).toEqual({
      request: { title: 'Chairs', status: 'DRAFT', amount: '12.5', requester: { instanceId: '1' } },
      case: { caseId: expect.stringMatching(/^\d+$/) },
    });
    expect((await count()).purchaseRequests.totalCount).toBe(before + 1);
  });

  it('reports values that the platform rejects', async () => {
    const { execute } = await startExtended({ 'writes.js': WRITES });

    const { errors } = await execute(
      `mutation { openRequest(title: "${'x'.repeat(121)}", requester: "1") { case { caseId } } }`,
    );

    expect(errors).toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT', violations: [{ path: ['input', 'values', 'title'], limit: 120 }] } },
    ]);
  });

  it('writes nothing in queries', async () => {
    const { execute, calls, lines } = await startExtended({ 'writes.js': WRITES });
    calls.length = 0;

    const { data, errors } = await execute('{ sneaky }');

    expect(data).toEqual({ sneaky: null });
    expect(errors).toMatchObject([{ extensions: { code: 'EXTENSION_FAILED' } }]);
    expect(calls).toEqual([]);
    expect(lines).toContainEqual(
      expect.objectContaining({ reason: 'Only resolvers of mutations may change the platform.' }),
    );
  });

  it('logs rejected arguments outside production', async () => {
    const { execute, lines } = await startExtended({ 'writes.js': WRITES });

    await execute('{ badArgs unknownArg }');

    const reasons = lines.filter(({ extension }) => extension === 'writes.js').map(({ reason }) => reason);
    expect(reasons).toEqual(
      expect.arrayContaining([expect.stringContaining('Int cannot represent'), 'suppliers has no argument limit.']),
    );
  });
});

const KEEPS = `
let kept;
let ticks = 0;
export default {
  typeDefs: \`
    extend type Supplier { tick: Int!  asCaller: String }
    extend type Query { keep: Int  contextOfBefore: String  sourceOfBefore: String  fetchOfBefore: Int  recordOfBefore: Supplier }
  \`,
  resolvers: {
    Supplier: { tick: () => ++ticks, asCaller: (_source, _args, { caller }) => caller?.name ?? 'nobody' },
    Query: {
      async keep(_source, _args, context) {
        const { nodes } = await context.platform.query.suppliers({ first: 1 });
        kept = { context, source: nodes[0], reader: context.platform.query.suppliers };
        return 1;
      },
      contextOfBefore: async () => (await kept.reader({ first: 1 })).nodes[0].name,
      sourceOfBefore: () => kept.source.name,
      fetchOfBefore: async () => (await kept.context.fetch('http://127.0.0.1:9/')).status,
      recordOfBefore: () => kept.source,
    },
  },
};`;

const COPIES = `
export default {
  typeDefs: 'extend type Query { copied: String  isSame: Boolean }',
  services: { rates: { url: 'http://127.0.0.1:9' } },
  resolvers: {
    Query: {
      async copied(_source, _args, context) {
        context.mine = { ...context };
        const { platform, services, signal, fetch, log, ...rest } = context.mine;
        const { nodes } = await platform.query.suppliers({ first: 1 });
        return [nodes.length, typeof services.rates.json, signal.aborted, typeof fetch, typeof log.warn, 'caller' in rest].join();
      },
      isSame: (_source, _args, context) => 'mine' in context,
    },
  },
};`;

describe('the context of a resolver', () => {
  it('can be copied with all of its members', async () => {
    const { execute } = await startExtended({ 'copies.js': COPIES });

    expect((await execute('{ copied }')).data).toEqual({ copied: '1,function,false,function,function,true' });
  });

  it('is one for each operation', async () => {
    const { execute } = await startExtended({ 'copies.js': COPIES });

    expect((await execute('{ copied isSame }')).data).toMatchObject({ isSame: true });
    expect((await execute('{ isSame }')).data).toEqual({ isSame: false });
  });
});

describe('request-scoped handles', () => {
  it('throw once the request has ended: reads, records, calls', async () => {
    const { execute, calls, lines } = await startExtended({ 'keeps.js': KEEPS });
    await execute('{ keep }');
    calls.length = 0;

    const { data, errors } = await execute('{ contextOfBefore sourceOfBefore fetchOfBefore recordOfBefore { name } }');

    expect(data).toEqual({ contextOfBefore: null, sourceOfBefore: null, fetchOfBefore: null, recordOfBefore: null });
    expect(errors).toHaveLength(4);
    expect(calls).toEqual([]);
    const reasons = lines.filter(({ extension }) => extension === 'keeps.js').map(({ reason }) => reason);
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
    const { url } = await startExtended({ 'keeps.js': KEEPS }, { ...env, CACHE_CONTROL: 'public' });
    const ask = () =>
      fetch(`${url}/graphql?query=${encodeURIComponent(QUERY)}`, { headers: { 'x-apollo-operation-name': 'a' } });

    const tags = [await ask(), await ask()].map(({ headers }) => [headers.get('etag'), headers.get('cache-control')]);

    expect(tags[0]?.[0]).not.toBe(tags[1]?.[0]);
    expect(tags[1]?.[1]).not.toMatch(/max-age=[1-9]/);
  });
});
