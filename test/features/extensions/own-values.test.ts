import { describe, expect, it } from 'vitest';

import { shareExtended, startExtended } from './support/start.ts';

/** Changes whatever it is given as far as it goes, and goes on where it cannot. */
const SPOILING = `
function spoil(value) {
  if (typeof value !== 'object' || value === null) return;
  if (value instanceof Date) return void value.setFullYear(1970);
  for (const key of Object.keys(value)) {
    spoil(value[key]);
    Reflect.set(value, key, 'spoiled');
    Reflect.deleteProperty(value, key);
  }
  Reflect.defineProperty(value, 'added', { value: 'spoiled', enumerable: true });
}
export default {
  typeDefs: \`
    extend type Supplier { spoilSource: Int  spoilBatch: Int }
    input Filter { when: DateTime  any: JSON }
    type Own { spoil: Int }
    extend type Query {
      spoilRead: Int
      spoilForm: Int
      spoilError: Int
      spoilOwn: Own
      spoilArgs(any: JSON = { list: [1] }, when: DateTime, filter: Filter): JSON
    }
  \`,
  resolvers: {
    Supplier: {
      spoilSource: { needs: '{ name values links { rel href } }', async resolve(source) { spoil(source); return 1; } },
      spoilBatch: { needs: '{ values }', async batch(all) { for (const one of all) spoil(one); return all.map(() => 1); } },
    },
    Own: { spoil: async (source) => { spoil(source); spoil(source.values); return 1; } },
    Query: {
      spoilRead: { calls: 1, async resolve(_s, _a, { query }) {
        spoil(await query('{ supplier(instanceId: "1") { values value(field: "name") links { rel href } } }'));
        return 1;
      } },
      spoilForm: { calls: 1, async resolve(_s, _a, { query }) {
        spoil(await query('{ form(formId: "supplier") { definition fields { name options { value } } } }'));
        return 1;
      } },
      spoilError: { calls: 1, resolve: (_s, _a, { query }) =>
        query('{ rule(component: "none", version: "1") { name } }').catch((error) => {
          for (const [name, value] of Object.entries({ failure: 'timeout', status: 418, errorCode: 'SPOILED' })) Reflect.set(error, name, value);
          spoil(error.extensions);
          return 1;
        }) },
      spoilOwn: { calls: 1, resolve: async (_s, _a, { query }) => (await query('{ supplier(instanceId: "1") { values } }')).supplier },
      spoilArgs(_s, args) { const seen = structuredClone(args); spoil(args); return seen; },
    },
  },
};`;

const READ = `{
  supplier(instanceId: "1") { name values links { rel href } }
  form(formId: "supplier") { name definition fields { name options { value } } }
  suppliers(first: 5) { nodes { values } }
}`;

describe('an object that a resolver receives', () => {
  const gateway = shareExtended({ 'spoiling.js': SPOILING }, { CACHE_INSTANCES_MS: '60000' });

  it.each([
    '{ supplier(instanceId: "1") { spoilSource } }',
    '{ suppliers(first: 5) { nodes { spoilBatch } } }',
    '{ spoilRead }',
    '{ spoilForm }',
    '{ spoilOwn { spoil } }',
  ])(
    'may be changed without an effect on other resolvers and later requests: %s',
    async (query) => {
      const read = () => gateway.dataOf(READ);
      const before = await read();

      const { data } = await gateway.execute(query);

      expect(JSON.stringify(data)).toContain('1');
      expect(await read()).toEqual(before);
    },
  );

  it('stays with its own call where it is an argument, of the document, of variables or a default', async () => {
    const query = `query ($any: JSON, $when: DateTime, $filter: Filter) {
      a: spoilArgs(any: { list: [{ b: 1 }] }, when: "2026-01-31T00:00:00Z", filter: { when: "2026-01-31T00:00:00Z", any: { c: [1] } })
      b: spoilArgs(any: { list: [{ b: 1 }] }, when: "2026-01-31T00:00:00Z", filter: { when: "2026-01-31T00:00:00Z", any: { c: [1] } })
      c: spoilArgs(any: $any, when: $when, filter: $filter)
      d: spoilArgs(any: $any, when: $when, filter: $filter)
      e: spoilArgs
    }`;
    const when = '2026-02-28T00:00:00.000Z';
    const variables = { any: { list: [{ b: 2 }] }, when, filter: { when, any: [{ c: 2 }] } };

    const first = await gateway.execute(query, variables);
    const second = await gateway.execute(query, variables);

    expect(first.errors).toBeUndefined();
    expect(first.data.b).toEqual(first.data.a);
    expect(first.data.d).toEqual({ any: variables.any, when, filter: { when, any: [{ c: 2 }] } });
    expect(first.data.c).toEqual(first.data.d);
    expect(first.data.e).toEqual({ any: { list: [1] } });
    expect(second.data).toEqual(first.data);
  });

  it('has no prototype, so that no name in it means anything else', async () => {
    const { dataOf } = await startExtended({
      'bare.js': `
        const isBare = (value) => typeof value !== 'object' || value === null ||
          ((Array.isArray(value) || Object.getPrototypeOf(value) === null) && Object.values(value).every(isBare));
        const NEEDS = '{ __proto__: name values links { rel } purchaseRequests(first: 1) { nodes { id } } }';
        export default {
          typeDefs: \`
            input Bare { any: JSON  list: [Bare!] }
            extend type Supplier { bare: Boolean  bareBatch: Boolean  proto: String }
            extend type Query { bareData: Boolean  bareArgs(any: JSON, input: Bare): Boolean }
          \`,
          resolvers: {
            Supplier: {
              bare: { needs: NEEDS, resolve: (source) => isBare(source) },
              bareBatch: { needs: NEEDS, batch: (sources) => sources.map(isBare) },
              proto: { needs: NEEDS, resolve: (source) => source['__proto__'] },
            },
            Query: {
              bareData: { calls: 3, resolve: async (_s, _a, { query }) => isBare(await query('{ supplier(instanceId: "1") ' + NEEDS + ' }')) },
              bareArgs: (_s, args) => isBare(args),
            },
          },
        };`,
    });

    const data = await dataOf(`{
      supplier(instanceId: "1") { name bare bareBatch proto }
      bareData
      bareArgs(any: { a: [{ b: 1 }] }, input: { any: { a: {} }, list: [{ any: {} }] })
    }`);

    const { name } = data.supplier;
    expect(data).toEqual({
      supplier: { name, bare: true, bareBatch: true, proto: name },
      bareData: true,
      bareArgs: true,
    });
  });

  it('changes no failure of the platform for others who met it', async () => {
    const { data, errors } = await gateway.execute(
      '{ spoilError rule(component: "none", version: "1") { name } }',
    );

    expect(data).toEqual({ spoilError: 1, rule: null });
    expect(errors).toMatchObject([{ extensions: { code: 'RULE_UNAVAILABLE' } }]);
    const [error] = errors ?? [];
    const { requestId: _, ...extensions } = error?.extensions ?? {};
    expect(JSON.stringify([error?.message, extensions])).not.toMatch(/418|SPOILED/);
  });
});
