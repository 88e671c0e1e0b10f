import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { createIdempotencyKey, violationsOf } from 'caseway/client';
import {
  createIdempotencyLink,
  createRetryLink,
  createTrustedDocumentsLink,
  typePolicies,
} from 'caseway/client/apollo';
import { createNetwork } from 'caseway/client/relay';
import {
  createIdempotencyExchange,
  createRetryExchange,
  createTrustedDocumentsExchange,
  keys,
  resolvers,
} from 'caseway/client/urql';
import { buildSchema, introspectionFromSchema, parse, print } from 'graphql';
import relay from 'relay-runtime';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { createStorage } from '../client/storage.ts';
import { writeFolder } from '../support/folder.ts';
import { shareGateway, startGateway } from '../support/gateway.ts';
import { createFlakyFetch } from './flaky.ts';

const CREATE = `mutation Create($values: CreateSupplierValues!, $idempotencyKey: ID) {
  createSupplier(input: { values: $values, idempotencyKey: $idempotencyKey }) { instance { id } }
}`;
const CREATE_INPUT = `mutation Create($input: CreateSupplierInput!) {
  createSupplier(input: $input) { instance { id } }
}`;
const UNKEYED = `mutation Create($values: CreateSupplierValues!) {
  createSupplier(input: { values: $values }) { instance { id } }
}`;
const COUNT = 'query Count { __typename forms { __typename totalCount } }';
const SUPPLIER = { name: 'New', country: 'IT', active: true };
const PAGE = `query Page($after: String, $active: Boolean) {
  suppliers(where: { active: { eq: $active } }, first: 3, after: $after) {
    edges { node { id name } }
    pageInfo { endCursor hasNextPage }
  }
}`;

const gateway = shareGateway({ TYPED_FORMS: '*' });
const creates = () => gateway.calls.filter((call) => call === 'createFormIntance').length;

let flaky: ReturnType<typeof createFlakyFetch>;
beforeEach(() => {
  flaky = createFlakyFetch();
});

interface Outcome {
  readonly data?: unknown;
  readonly error?: unknown;
}

/** A library with the adapters, with one function for queries and one for mutations. */
interface Library {
  query(document: string): Promise<Outcome>;
  mutate(document: string, variables: object, idempotency?: unknown): Promise<Outcome>;
}

function openApollo(): Library {
  const client = new ApolloClient({
    cache: new InMemoryCache(),
    link: ApolloLink.from([
      createIdempotencyLink(),
      createRetryLink(),
      new HttpLink({ uri: `${gateway.url}/graphql`, fetch: flaky.fetch }),
    ]),
  });
  return {
    query: (document) => client.query({ query: gql(document), errorPolicy: 'all' }),
    mutate: (document, variables, idempotency) =>
      client.mutate({
        mutation: gql(document),
        variables,
        errorPolicy: 'all',
        context: { idempotency },
      }),
  };
}

function openUrql(): Library {
  const client = new Client({
    url: `${gateway.url}/graphql`,
    fetch: flaky.fetch,
    preferGetMethod: false,
    exchanges: [createIdempotencyExchange(), createRetryExchange(), fetchExchange],
  });
  return {
    query: async (document) => client.query(document, {}).toPromise(),
    mutate: async (document, variables, idempotency) =>
      client.mutation(document, variables, { idempotency } as object).toPromise(),
  };
}

describe.each([
  ['Apollo Client', openApollo],
  ['urql', openUrql],
] as const)('%s', (_name, open) => {
  it('repeats a query whose response was lost', async () => {
    flaky.lose(1);

    const { data, error } = await open().query(COUNT);

    expect(error).toBeUndefined();
    expect(data).toMatchObject({ forms: { totalCount: 4 } });
    expect(flaky.bodies).toHaveLength(2);
  });

  it('adds a key to a mutation, repeats it with the same key, and makes the change once', async () => {
    flaky.lose(1);

    const { data } = await open().mutate(CREATE, { values: SUPPLIER });
    const sent = flaky.bodies.map((body) => JSON.parse(body).variables.idempotencyKey);

    expect(data).toMatchObject({ createSupplier: { instance: { id: expect.any(String) } } });
    expect(sent).toEqual([expect.stringMatching(/^\S{30,}$/), sent[0]]);
    expect(creates()).toBe(1);
  });

  it('sends a mutation without a key once', async () => {
    flaky.lose(1);

    const { error } = await open().mutate(UNKEYED, { values: SUPPLIER });

    expect(error).toBeDefined();
    expect([flaky.bodies.length, creates()]).toEqual([1, 1]);
  });

  it('sends a mutation once if only one of its fields has a key', async () => {
    flaky.lose(1);
    const both = `mutation Both($values: CreateSupplierValues!, $idempotencyKey: ID) {
      a: createSupplier(input: { values: $values, idempotencyKey: $idempotencyKey }) { instance { id } }
      b: createSupplier(input: { values: $values }) { instance { id } }
    }`;

    const { error } = await open().mutate(both, { values: SUPPLIER });

    expect(error).toBeDefined();
    expect([flaky.bodies.length, creates()]).toEqual([1, 2]);
  });

  it('saves a form with its key, which stays while the outcome is unknown', async () => {
    const library = open();
    const idempotency = createIdempotencyKey(createStorage(), 'create');
    const save = (values: object) =>
      library.mutate(CREATE_INPUT, { input: { values } }, idempotency);
    flaky.lose(3);

    const lost = await save(SUPPLIER);
    const saved = await save(SUPPLIER);
    const refused = await save({ ...SUPPLIER, name: '' });
    await save(SUPPLIER);

    expect([lost.error !== undefined, saved.error]).toEqual([true, undefined]);
    expect(violationsOf(refused.error)).toEqual({ 'values.name': [expect.any(String)] });
    expect(creates()).toBe(2);
  });
});

describe('trusted documents', () => {
  it.each(['Apollo Client', 'urql'])('are sent by %s without their text', async (name) => {
    const folder = writeFolder({ 'count.graphql': print(parse(COUNT)) });
    const trusting = await startGateway({ DOCUMENTS: folder, DOCUMENTS_MODE: 'enforce' });
    const hash = await sha256(print(parse(COUNT)));
    const document = Object.assign(parse(COUNT), { __meta__: { hash } });
    const uri = `${trusting.url}/graphql`;

    const { data, error } =
      name === 'urql'
        ? await new Client({
            url: uri,
            fetch: flaky.fetch,
            preferGetMethod: false,
            exchanges: [createTrustedDocumentsExchange(), fetchExchange],
          }).query(document, {})
        : await new ApolloClient({
            cache: new InMemoryCache(),
            link: createTrustedDocumentsLink().concat(new HttpLink({ uri, fetch: flaky.fetch })),
          }).query({ query: document });

    expect(error).toBeUndefined();
    expect(data).toMatchObject({ forms: { totalCount: 4 } });
    expect(flaky.bodies.join()).not.toContain('totalCount');
  });

  it('without a hash are refused before they are sent', async () => {
    const link = createTrustedDocumentsLink().concat(new HttpLink({ fetch: flaky.fetch }));
    const client = new ApolloClient({ cache: new InMemoryCache(), link });

    await expect(client.query({ query: gql(COUNT) })).rejects.toThrow('has no hash');
    expect(flaky.bodies).toEqual([]);
  });
});

it('Apollo Client does not repeat a request after the time limit of its caller', async () => {
  const limit = new AbortController();
  const attempts: unknown[] = [];
  const client = new ApolloClient({
    cache: new InMemoryCache(),
    link: ApolloLink.from([
      createRetryLink(),
      new HttpLink({
        uri: 'unused',
        async fetch() {
          attempts.push(attempts.length);
          limit.abort();
          throw new TypeError('fetch failed');
        },
      }),
    ]),
  });

  const context = { fetchOptions: { signal: limit.signal } };
  await expect(client.query({ query: gql(COUNT), context })).rejects.toThrow('fetch failed');

  expect(attempts).toHaveLength(1);
});

it('Apollo Client joins the pages of each list by its arguments', async () => {
  const possibleTypes = { Node: ['Supplier'], Instance: ['Supplier'] };
  const client = new ApolloClient({
    cache: new InMemoryCache({ possibleTypes, typePolicies: typePolicies(possibleTypes) }),
    link: new HttpLink({ uri: `${gateway.url}/graphql` }),
  });
  const list = { query: gql(PAGE), variables: { active: true } };
  const { data: first } = await client.query<Page>(list);
  const after = first?.suppliers.pageInfo.endCursor;

  await client.watchQuery(list).fetchMore({ variables: { after } });
  await client.query({ ...list, variables: { active: false } });

  expect(client.readQuery<Page>(list)?.suppliers.edges).toHaveLength(6);
});

it('the type policies name the lists as the gateway does', async () => {
  const schema = buildSchema(await (await fetch(`${gateway.url}/schema.graphql`)).text());
  const instance = schema.getType('Instance');
  const queries = Object.values(schema.getQueryType()?.getFields() ?? {});
  const lists = queries.filter(({ type }) => String(type).replace('!', '').endsWith('Connection'));
  const forms = schema
    .toConfig()
    .types.filter(
      (type) => 'getInterfaces' in type && type.getInterfaces().some((one) => one === instance),
    );

  const { Query: policy } = typePolicies({ Instance: forms.map(({ name }) => name) });
  const names = Object.keys((policy as { readonly fields: object }).fields);

  expect(lists.length).toBeGreaterThan(4);
  expect(names).toEqual(expect.arrayContaining(lists.map(({ name }) => name)));
});

it('urql’s graphcache joins the pages, and knows a key of every type', async () => {
  const schema = buildSchema(await (await fetch(`${gateway.url}/schema.graphql`)).text());
  const introspection = introspectionFromSchema(schema);
  const warn = vi.spyOn(console, 'warn');
  const client = new Client({
    url: `${gateway.url}/graphql`,
    preferGetMethod: false,
    exchanges: [
      cacheExchange({
        schema: introspection,
        keys: keys(introspection as never),
        resolvers: resolvers(introspection as never, relayPagination()),
      }),
      fetchExchange,
    ],
  });

  const { data: first } = await client.query<Page>(PAGE, { active: true });
  const after = first?.suppliers.pageInfo.endCursor;
  const { data: joined } = await client.query<Page>(PAGE, { active: true, after });
  const { error } = await client.query(
    `{ form(formId: "supplier") { id fields { name label } links { rel } }
       rule(component: "approval-level", version: "1.0") { component version parameters { name } }
       viewer { name } }`,
    {},
  );

  expect(error).toBeUndefined();
  expect(joined?.suppliers.edges).toHaveLength(6);
  expect(warn.mock.calls).toEqual([]);
});

describe('Relay', () => {
  const open = () => createNetwork({ url: `${gateway.url}/graphql`, fetch: flaky.fetch });
  const parametersOf = (text: string, operationKind: 'mutation' | 'query' | 'subscription') => ({
    id: null,
    text,
    name: 'Test',
    operationKind,
    metadata: {},
    providedVariables: null,
    cacheID: text,
  });
  const run = async (
    kind: 'mutation' | 'query',
    text: string,
    variables: object = {},
    metadata: Readonly<Record<string, unknown>> = {},
  ) =>
    relay.Network.create(open().fetch)
      .execute(parametersOf(text, kind) as never, { ...variables }, { metadata })
      .toPromise();

  it('repeats a query, and a mutation that is said to be keyed', async () => {
    const variables = { values: SUPPLIER, idempotencyKey: crypto.randomUUID() };
    flaky.lose(1);
    const query = await run('query', COUNT);
    flaky.lose(1);
    const mutation = await run('mutation', CREATE, variables, { isKeyed: true });

    expect(query).toMatchObject({ data: { forms: { totalCount: 4 } } });
    expect(mutation).toMatchObject({ data: { createSupplier: { instance: {} } } });
    expect([flaky.bodies.length, creates()]).toEqual([4, 1]);
  });

  it('sends any other mutation once', async () => {
    flaky.lose(1);

    await expect(run('mutation', UNKEYED, { values: SUPPLIER })).rejects.toThrow('fetch failed');

    expect([flaky.bodies.length, creates()]).toEqual([1, 1]);
  });

  it('never takes a refused mutation for a success', async () => {
    const variables = { values: { ...SUPPLIER, name: '' } };

    const error = await run('mutation', UNKEYED, variables).catch((thrown: unknown) => thrown);

    expect(violationsOf(error)).toEqual({ 'values.name': [expect.any(String)] });
  });

  it('shows the fields without an error', async () => {
    const text = '{ forms { totalCount } instances(formId: "none") { totalCount } }';

    expect(await run('query', text)).toMatchObject({
      data: { forms: { totalCount: 4 }, instances: null },
      errors: [{ extensions: { code: 'NOT_FOUND' } }],
    });
  });

  it('receives the results of a subscription', async () => {
    const network = relay.Network.create(open().fetch, open().subscribe);
    const parameters = parametersOf('subscription { suppliers { totalCount } }', 'subscription');

    const result = await new Promise((resolve, reject) => {
      const subscription = network
        .execute(parameters as never, {}, {})
        .subscribe({ next: resolve, error: reject });
      onTestFinished(() => subscription.unsubscribe());
    });

    expect(result).toMatchObject({ data: { suppliers: { totalCount: expect.any(Number) } } });
  });
});

interface Page {
  readonly suppliers: {
    readonly edges: readonly object[];
    readonly pageInfo: { readonly endCursor: string };
  };
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Buffer.from(digest).toString('hex');
}
