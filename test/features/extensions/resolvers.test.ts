import { describe, expect, it } from 'vitest';

import { writeFolder } from '../../support/folder.ts';
import { runMain } from '../../support/run.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';
import { shareExtended, startExtended, startService } from './support/start.ts';

interface Row {
  readonly supplier: { readonly instanceId: string; readonly score: number } | null;
}

const scores = (url: string) => `
import { defineExtension } from 'caseway/extension';
export default defineExtension({
  typeDefs: 'extend type Supplier { score(unit: String = "points"): Int }',
  resolvers: {
    Supplier: {
      score: {
        calls: 1,
        needs: '{ instanceId }',
        async batch(suppliers, { unit }, { fetch }) {
          const ids = suppliers.map(({ instanceId }) => instanceId);
          const found = await (await fetch('${url}/of?unit=' + unit + '&ids=' + ids.join())).json();
          return ids.map((id) => (id === '2' ? new Error('no score') : found[id]));
        },
      },
    },
  },
});`;

describe('a batch', () => {
  it('is one call to another service for all objects, with equal objects only once', async () => {
    const service = await startService(({ url = '' }) => {
      const ids = new URL(url, 'http://any').searchParams.get('ids')?.split(',') ?? [];
      return Object.fromEntries(ids.map((id) => [id, Number(id) * 10]));
    });
    const { execute } = await startExtended({ 'scores.ts': scores(service.url) });

    const { data, errors } = await execute(
      '{ purchaseRequests(first: 100) { nodes { supplier { instanceId score } } } }',
    );

    expect(service.calls).toHaveLength(1);
    const ids = service.calls[0]?.split('ids=')[1]?.split(',') ?? [];
    expect(new Set(ids).size).toBe(ids.length);
    const suppliers = data.purchaseRequests.nodes.flatMap(({ supplier }: Row) => supplier ?? []);
    expect(suppliers.length).toBeGreaterThan(ids.length);
    for (const { instanceId, score } of suppliers)
      expect(score).toBe(instanceId === '2' ? null : Number(instanceId) * 10);
    expect(new Set(errors?.map(({ message }) => message))).toEqual(new Set(['no score']));
  });

  it('is separate for each field and each set of equal arguments, whatever the alias', async () => {
    const service = await startService(() => ({ 1: 10, 3: 30 }));
    const { execute } = await startExtended({ 'scores.ts': scores(service.url) });

    await execute(
      '{ suppliers(first: 3) { nodes { a: score  b: score(unit: "points")  c: score(unit: "stars") } } }',
    );

    expect(service.calls.map((call) => /unit=(\w+)/.exec(call)?.[1]).sort()).toEqual([
      'points',
      'stars',
    ]);
  });

  it('with another number of values fails its own field', async () => {
    const { execute } = await startExtended({
      'own.js':
        'export default { typeDefs: "extend type Supplier { a: Int }", resolvers: { Supplier: { a: { batch: () => [1] } } } };',
    });

    const { data, errors } = await execute('{ suppliers(first: 2) { nodes { name a } } }');

    expect(data.suppliers.nodes).toEqual([
      { name: expect.any(String), a: null },
      { name: expect.any(String), a: null },
    ]);
    const message = 'The batch of Supplier.a must give a list of 2 values, and gave 1.';
    expect(errors).toMatchObject(
      Array(2).fill({ message, extensions: { code: 'EXTENSION_FAILED' } }),
    );
  });
});

const ERRORS = `
import { defineExtension, ExtensionError } from 'caseway/extension';
const fail = (error) => () => { throw error; };
export default defineExtension({
  typeDefs: 'extend type Query { secret: Int  late: Int  foreign: Int  text: Int  nothing: Int  odd: Int  worded: Int  platform: String  fine: Int }',
  resolvers: {
    Query: {
      secret: fail(new Error('the password is x')),
      late: async () => { throw new Error('the password is x'); },
      foreign: fail(Object.assign(new Error('the password is x'), { extensions: { code: 'FOREIGN' } })),
      text: fail('the password is x'), nothing: fail(undefined), odd: fail(Object.create(null)),
      worded: async () => { throw new ExtensionError('NO_RATE', 'There is no rate today.', { retryable: true }); },
      platform: { calls: 1, resolve: async (_source, _args, { query }) => (await query('{ rule(component: "none", version: "1") { name } }')).rule.name },
      fine: () => 1,
    },
  },
});`;

it.each([
  [
    'in production, where clients do not read its message',
    'production',
    'An extension failed to give this value.',
  ],
  ['in development, where they do', 'development', 'the password is x'],
])(
  'a resolver that throws fails its own field with a code of its own: %s',
  async (_case, mode, message) => {
    const env = { NODE_ENV: mode, CALLER_AUTH: 'none' };
    const { execute, logged } = await startExtended({ 'errors.ts': ERRORS }, env);

    const { data, errors } = await execute(
      '{ secret late foreign text nothing odd worded platform fine }',
    );

    const nulls = Object.fromEntries(errors?.map(({ path }) => [path?.join(), null]) ?? []);
    expect(data).toEqual({ ...nulls, fine: 1 });
    const byField = Object.fromEntries(
      errors?.map(({ path, ...rest }) => [path?.join(), rest]) ?? [],
    );
    const failed = { message, extensions: { code: 'EXTENSION_FAILED', retryable: false } };
    expect(byField).toMatchObject({
      secret: failed,
      late: failed,
      foreign: failed,
      text: { extensions: failed.extensions },
      nothing: { extensions: failed.extensions },
      odd: { extensions: failed.extensions },
      worded: {
        message: 'There is no rate today.',
        extensions: { code: 'NO_RATE', retryable: true },
      },
      platform: { extensions: { code: 'RULE_UNAVAILABLE' } },
    });
    const reported = logged().filter(({ extension }) => extension === 'errors.ts');
    const fields = ['secret', 'foreign', 'text', 'nothing', 'odd', 'late'];
    expect(reported.map(({ field }) => field)).toEqual(fields.map((name) => `Query.${name}`));
    expect(reported[0]).toMatchObject({
      err: { type: 'Error', at: expect.arrayContaining([expect.any(String)]) },
    });
    expect(JSON.stringify(logged()).includes('password')).toBe(mode === 'development');
  },
);

const UNENDING = `
const never = () => new Promise(() => {});
export default {
  typeDefs: 'type Own { a: Int  b: [Int] }  extend type Query { a: Int  b: Int  own: Own  fine: Int }',
  resolvers: { Query: { a: never, b: { batch: never }, own: () => ({ a: never(), b: [never(), 1] }), fine: () => 1 } },
};`;

describe('a resolver that never ends', () => {
  it('fails its own field at the request’s deadline', async () => {
    const { execute } = await startExtended({ 'own.js': UNENDING }, { UPSTREAM_TIMEOUT_MS: '100' });

    const { data, errors } = await execute('{ a b own { a b } fine }');

    expect(data).toEqual({ a: null, b: null, own: { a: null, b: [null, 1] }, fine: 1 });
    const late = {
      message: "This had not ended by the request's deadline.",
      extensions: { code: 'EXTENSION_FAILED' },
    };
    expect(errors).toMatchObject(Array(4).fill(late));
  });

  it('fails as the platform does where it waits for that', async () => {
    const { env } = await scriptPlatform(() => new Promise(() => undefined));
    const own = `export default {
      typeDefs: 'extend type Query { waiting: Int }',
      resolvers: { Query: { waiting: { calls: 1, resolve: (_s, _a, { query }) => query('{ instances(formId: "a") { totalCount } }') } } },
    };`;
    const { execute } = await startExtended(
      { 'own.js': own },
      { ...env, TYPED_FORMS: 'none', UPSTREAM_TIMEOUT_MS: '100' },
    );

    expect((await execute('{ waiting }')).errors).toMatchObject([
      { extensions: { code: 'UPSTREAM_TIMEOUT' } },
    ]);
  });
});

it('a rejected promise of a resolver without a handler is logged, and the gateway keeps running', async () => {
  const folder = writeFolder({
    'own.js': `export default {
        typeDefs: 'extend type Query { a: Int }',
        resolvers: { Query: { a: () => { Promise.reject(new Error('late')); return 1; } } },
      };`,
  });
  const { printed } = runMain([], { PORT: '0', SANDBOX_FILE: ':memory:', EXTENSIONS: folder });
  const url = await printed(/GraphQL at (\S+)/);
  const query = () => fetch(`${url}?query={a}`, { headers: { 'apollo-require-preflight': '1' } });

  expect(await (await query()).json()).toEqual({ data: { a: 1 } });
  await printed(/nothing awaits/);
  expect(await (await query()).json()).toEqual({ data: { a: 1 } });
});

const TYPES = `
import { defineExtension } from 'caseway/extension';
export default defineExtension({
  typeDefs: \`
    type Dashboard { open: [PurchaseRequest!]!  status: PurchaseRequestStatus  urgency: Urgency!  supplier: Supplier  first: Entry }
    enum Urgency { LOW HIGH }
    union Entry = PurchaseRequest | Note
    type Note { text: String! }
    extend interface Instance { label: String! }
    extend type Query { dashboard(status: PurchaseRequestStatus!): Dashboard! }
  \`,
  resolvers: {
    Instance: { label: { needs: '{ formId instanceId }', resolve: ({ formId, instanceId }) => formId + ' ' + instanceId } },
    Dashboard: { first: ({ open }) => open[0] ?? { __typename: 'Note', text: 'none' } },
    Query: {
      dashboard: {
        calls: 2,
        async resolve(_source, { status }, { query }) {
          const document = 'query ($status: PurchaseRequestStatus!) { purchaseRequests(where: { status: { eq: $status } }, first: 2) { nodes { id status supplier { id } } } }';
          const { nodes } = (await query(document, { status })).purchaseRequests;
          return { open: nodes, status: nodes[0]?.status, urgency: 'HIGH', supplier: nodes[0]?.supplier };
        },
      },
    },
  },
});`;

const INTERFACES = `export default {
  typeDefs: 'extend interface Node { rank: Int! }',
  resolvers: { Node: { rank: () => 7 } },
}`;
const AGE = `export default {
  typeDefs: 'extend type PurchaseRequest { "Whole days from its creation to a day." ageDays(on: DateTime!): Int! }',
  resolvers: { PurchaseRequest: { ageDays: () => 1 } },
};`;

describe('own types and fields', () => {
  const gateway = shareExtended(
    { 'types.ts': TYPES, 'rank.js': INTERFACES, 'age.js': AGE },
    { TYPED_FORMS: 'purchase-request,supplier,employee' },
  );

  it('are in the SDL and in introspection, with their descriptions', async () => {
    const sdl = await (await fetch(`${gateway.url}/schema.graphql`)).text();
    const data = await gateway.dataOf('{ __type(name: "PurchaseRequest") { fields { name } } }');

    expect(sdl).toMatch(
      /"""Whole days from its creation to a day."""\n {2}ageDays\(on: DateTime!\): Int!/,
    );
    expect(data.__type.fields).toContainEqual({ name: 'ageDays' });
  });

  it('have the platform’s objects and enums, by the graph’s names', async () => {
    const data = await gateway.dataOf(`{
      dashboard(status: APPROVED) {
        open { __typename status label } status urgency supplier { __typename name label }
        first { __typename ... on PurchaseRequest { status } ... on Note { text } }
      }
    }`);

    expect(data.dashboard).toMatchObject({
      status: 'APPROVED',
      urgency: 'HIGH',
      supplier: { __typename: 'Supplier', label: expect.stringMatching(/^supplier \d+$/) },
      first: { __typename: 'PurchaseRequest', status: 'APPROVED' },
    });
    const label = expect.stringMatching(/^purchase-request \d+$/);
    const request = { __typename: 'PurchaseRequest', status: 'APPROVED', label };
    expect(data.dashboard.open).toEqual([request, request]);
  });

  it('of an interface are in the form’s types, the generic one and other interfaces', async () => {
    const data = await gateway.dataOf(`{
      instances(formId: "expense", first: 1) { nodes { __typename label rank } }
      form(formId: "supplier") { rank }
    }`);

    expect(data).toEqual({
      instances: {
        nodes: [
          {
            __typename: 'GenericInstance',
            label: expect.stringMatching(/^expense/),
            rank: 7,
          },
        ],
      },
      form: { rank: 7 },
    });
  });
});
