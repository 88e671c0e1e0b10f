import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { Client, fetchExchange } from '@urql/core';
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
} from 'caseway/client/urql';
import { buildSchema, parse } from 'graphql';
import relay from 'relay-runtime';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import { createStorage } from '../client/storage.ts';
import { shareGateway } from '../support/gateway.ts';

const CREATE = `mutation Create($values: CreateSupplierValues!, $idempotencyKey: ID) {
  createSupplier(input: { values: $values, idempotencyKey: $idempotencyKey }) { instance { id } }
}`;
const CREATE_INPUT = `mutation Create($input: CreateSupplierInput!) {
  createSupplier(input: $input) { instance { id } }
}`;
const UNKEYED = `mutation Create($values: CreateSupplierValues!) {
  createSupplier(input: { values: $values }) { instance { id } }
}`;
const COUNT = '{ forms { totalCount } }';
const SUPPLIER = { name: 'New', country: 'IT', active: true };

const gateway = shareGateway({ TYPED_FORMS: '*' });
const creates = () => gateway.calls.filter((call) => call === 'createFormIntance').length;

/** The bodies of the requests of a test. */
const sent: { readonly variables: Readonly<Record<string, unknown>> }[] = [];
/** How many of the next responses are lost after the gateway has sent them. */
let losses = 0;
beforeEach(() => {
  sent.length = 0;
  losses = 0;
});

const flakyFetch: typeof fetch = async (_url, init) => {
  sent.push(JSON.parse(String(init?.body)));
  const response = await fetch(`${gateway.url}/graphql`, init);
  if (losses === 0) return response;
  losses -= 1;
  await response.body?.cancel();
  throw new TypeError('fetch failed');
};

interface Outcome {
  readonly data?: unknown;
  readonly error?: unknown;
}

/** Sends an operation with Apollo Client. */
async function runApollo(document: string, variables = {}, context = {}): Promise<Outcome> {
  const client = openApollo(createIdempotencyLink(), createRetryLink());
  if (!document.startsWith('mutation')) return client.query({ query: gql(document) });
  return client.mutate({ mutation: gql(document), variables, errorPolicy: 'all', context });
}

const openApollo = (...links: readonly ApolloLink[]) =>
  new ApolloClient({
    cache: new InMemoryCache(),
    link: ApolloLink.from([...links, new HttpLink({ uri: '/graphql', fetch: flakyFetch })]),
  });

/** Sends an operation with urql. */
async function runUrql(document: string, variables = {}, context = {}): Promise<Outcome> {
  const client = openUrql(createIdempotencyExchange(), createRetryExchange());
  if (!document.startsWith('mutation')) return client.query(document, variables).toPromise();
  return client.mutation(document, variables, context).toPromise();
}

const openUrql = (...exchanges: ConstructorParameters<typeof Client>[0]['exchanges']) =>
  new Client({
    url: '/graphql',
    fetch: flakyFetch,
    preferGetMethod: false,
    exchanges: [...exchanges, fetchExchange],
  });

describe.each([
  ['Apollo Client', runApollo],
  ['urql', runUrql],
])('%s', (_name, run) => {
  it('repeats a query whose response was lost', async () => {
    losses = 1;

    const { data, error } = await run(COUNT);

    expect(error).toBeUndefined();
    expect(data).toMatchObject({ forms: { totalCount: 4 } });
    expect(sent).toHaveLength(2);
  });

  it('adds a key to a mutation, repeats it with the same key, and makes the change once', async () => {
    losses = 1;

    const { data } = await run(CREATE, { values: SUPPLIER });
    const keys = sent.map(({ variables }) => variables['idempotencyKey']);

    expect(data).toMatchObject({ createSupplier: { instance: { id: expect.any(String) } } });
    expect(keys).toEqual([expect.stringMatching(/^\S{30,}$/), keys[0]]);
    expect(creates()).toBe(1);
  });

  it('sends a mutation without a key once', async () => {
    losses = 1;

    const { error } = await run(UNKEYED, { values: SUPPLIER });

    expect(error).toBeDefined();
    expect([sent.length, creates()]).toEqual([1, 1]);
  });

  it('saves a form with its key, which stays while the outcome is unknown', async () => {
    const idempotency = createIdempotencyKey(createStorage(), 'create');
    const save = (values: object) => run(CREATE_INPUT, { input: { values } }, { idempotency });
    losses = 3;

    const lost = await save(SUPPLIER);
    const saved = await save(SUPPLIER);
    const refused = await save({ ...SUPPLIER, name: '' });
    await save(SUPPLIER);

    expect([lost.error !== undefined, saved.error]).toEqual([true, undefined]);
    expect(violationsOf(refused.error)).toEqual({ 'values.name': [expect.any(String)] });
    expect(creates()).toBe(2);
  });
});

describe('a trusted document', () => {
  const document = Object.assign(parse(COUNT), { __meta__: { hash: 'abc' } });

  it.each([
    ['Apollo Client', () => openApollo(createTrustedDocumentsLink()).query({ query: document })],
    ['urql', () => openUrql(createTrustedDocumentsExchange()).query(document, {}).toPromise()],
  ])('is sent by %s without its text', async (_name, run) => {
    await run().catch(() => undefined);

    expect(JSON.stringify(sent)).toContain('"abc"');
    expect(JSON.stringify(sent)).not.toContain('totalCount');
  });

  it('without a hash is refused before it is sent', async () => {
    const client = openApollo(createTrustedDocumentsLink());

    await expect(client.query({ query: gql(COUNT) })).rejects.toThrow('has no hash');
    expect(sent).toEqual([]);
  });
});

it('Apollo Client does not repeat a request after the time limit of its caller', async () => {
  const limit = new AbortController();
  let attempts = 0;
  const fetch = async () => {
    attempts += 1;
    limit.abort();
    throw new TypeError('fetch failed');
  };
  const link = createRetryLink().concat(new HttpLink({ uri: '/graphql', fetch }));
  const client = new ApolloClient({ cache: new InMemoryCache(), link });

  const context = { fetchOptions: { signal: limit.signal } };
  await expect(client.query({ query: gql(COUNT), context })).rejects.toThrow('fetch failed');

  expect(attempts).toBe(1);
});

it('the type policies name the lists as the gateway does', async () => {
  const schema = buildSchema(await (await fetch(`${gateway.url}/schema.graphql`)).text());
  const queries = Object.values(schema.getQueryType()?.getFields() ?? {});
  const lists = queries.filter(({ type }) => String(type).replace('!', '').endsWith('Connection'));
  const forms = schema.getPossibleTypes(schema.getType('Instance') as never);

  const { Query: policy } = typePolicies({ Instance: forms.map(({ name }) => name) });
  const names = Object.keys((policy as { readonly fields: object }).fields);

  expect(lists.length).toBeGreaterThan(4);
  expect(names).toEqual(expect.arrayContaining(lists.map(({ name }) => name)));
});

describe('Relay', () => {
  const { fetch, subscribe } = createNetwork({ url: '/graphql', fetch: flakyFetch });

  /** Sends an operation with Relay's network layer. */
  function execute(text: string, variables = {}, metadata = {}) {
    const [operationKind] = /^\w+/.exec(text) ?? ['query'];
    const parameters = { id: null, text, name: 'Test', operationKind, metadata: {}, cacheID: text };
    const network = relay.Network.create(fetch, subscribe);
    return network.execute(parameters as never, variables, { metadata });
  }
  const run = async (...operation: Parameters<typeof execute>) => execute(...operation).toPromise();

  it('repeats a query, and a mutation that is said to be keyed', async () => {
    const variables = { values: SUPPLIER, idempotencyKey: crypto.randomUUID() };
    losses = 1;
    const query = await run(COUNT);
    losses = 1;
    const mutation = await run(CREATE, variables, { isKeyed: true });

    expect(query).toMatchObject({ data: { forms: { totalCount: 4 } } });
    expect(mutation).toMatchObject({ data: { createSupplier: { instance: {} } } });
    expect([sent.length, creates()]).toEqual([4, 1]);
  });

  it('sends any other mutation once', async () => {
    losses = 1;

    await expect(run(UNKEYED, { values: SUPPLIER })).rejects.toThrow('fetch failed');

    expect([sent.length, creates()]).toEqual([1, 1]);
  });

  it('never takes a refused mutation for a success', async () => {
    const values = { ...SUPPLIER, name: '' };

    const error = await run(UNKEYED, { values }).catch((thrown: unknown) => thrown);

    expect(violationsOf(error)).toEqual({ 'values.name': [expect.any(String)] });
  });

  it('shows the fields without an error, and fails if there is none', async () => {
    const missing = 'instances(formId: "none") { totalCount }';

    await expect(run(`{ ${missing} }`)).rejects.toThrow('form');
    expect(await run(`{ forms { totalCount } ${missing} }`)).toMatchObject({
      data: { forms: { totalCount: 4 }, instances: null },
      errors: [{ extensions: { code: 'NOT_FOUND' } }],
    });
  });

  it('receives the results of a subscription', async () => {
    const stream = execute('subscription { suppliers { totalCount } }');

    const result = await new Promise((next, error) => {
      const { unsubscribe } = stream.subscribe({ next, error });
      onTestFinished(unsubscribe);
    });

    expect(result).toMatchObject({ data: { suppliers: { totalCount: expect.any(Number) } } });
  });
});
