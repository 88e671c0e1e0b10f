import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { composeServices } from '@apollo/composition';
import { ApolloGateway, LocalGraphQLDataSource, RemoteGraphQLDataSource } from '@apollo/gateway';
import { ApolloServer, type ApolloServerOptions, type BaseContext } from '@apollo/server';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { type GraphQLFormattedError, parse } from 'graphql';
import { describe, expect, it, onTestFinished } from 'vitest';

import { writeFolder } from '../../../support/folder.ts';
import { startCountedGateway } from '../../../support/gateway.ts';
import { runCommand } from '../../../support/run.ts';

const REVIEWS = parse(`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])

  type Query { reviews: [Review!]!  node(id: ID!): Node  viewer: Reviewer  reviewPages: PageInfo }
  type Review implements Node @key(fields: "id") { id: ID!  text: String!  purchaseRequest: PurchaseRequest }
  type PurchaseRequest @key(fields: "id") { id: ID!  reviews: [Review!]! }
  type Reviewer { name: String! }
  interface Node { id: ID! }
  type PageInfo @shareable { hasNextPage: Boolean!  hasPreviousPage: Boolean!  startCursor: String  endCursor: String }
`);

const REQUESTS = 120;
const SUPPLIERS = 7;

/** A platform of purchase requests and their suppliers. */
function defineRequests(): string {
  const title = { name: 'title', label: 'Title', type: 'text', required: true };
  const permissions = { forms: { '*': ['read', 'create', 'update', 'delete'] } };
  const name = { name: 'name', label: 'Name', type: 'text', required: true };
  const supplier = {
    name: 'supplier',
    label: 'Supplier',
    type: 'reference',
    reference: 'supplier',
  };
  const rows = <T>(length: number, row: (n: number) => T) =>
    Array.from({ length }, (_, index) => ({ idInstance: index + 1, ...row(index + 1) }));
  return writeFolder({
    'users.yaml': {
      users: [{ username: 'demo', password: 'demo', about: 'may do everything', permissions }],
    },
    'forms/supplier.yaml': { idForm: 'supplier', name: 'Supplier', version: '1', fields: [name] },
    'forms/purchase-request.yaml': {
      idForm: 'purchase-request',
      name: 'Purchase request',
      version: '1',
      fields: [title, supplier],
    },
    'data/suppliers.yaml': {
      idForm: 'supplier',
      instances: rows(SUPPLIERS, (n) => ({ name: `supplier ${n}` })),
    },
    'data/requests.yaml': {
      idForm: 'purchase-request',
      instances: rows(REQUESTS, (n) => ({ title: `request ${n}`, supplier: (n % SUPPLIERS) + 1 })),
    },
  });
}

const idOf = (instanceId: number) =>
  Buffer.from(JSON.stringify(['Instance', 'purchase-request', String(instanceId)])).toString(
    'base64url',
  );

/** A hundred reviews. The last ten are second reviews of a request. */
const reviews = Array.from({ length: 100 }, (_, index) => ({
  id: `review-${index}`,
  text: `review ${index}`,
  purchaseRequest: { __typename: 'PurchaseRequest', id: idOf((index % 90) + 1) },
}));

const resolvers = {
  Query: { reviews: () => reviews },
  PurchaseRequest: {
    reviews: ({ id }: { id: string }) =>
      reviews.filter(({ purchaseRequest }) => purchaseRequest.id === id),
  },
};

type Headers = Readonly<Record<string, string>>;

/**
 * Takes the code and the message of a refused request out of the answer that the router has got.
 */
const showRefusal: ApolloServerOptions<BaseContext>['formatError'] = (error) => {
  const { response, ...extensions } = (error.extensions ?? {}) as RefusedExtensions;
  const refused = response?.body?.errors?.[0];
  return refused
    ? { ...error, message: refused.message, extensions: { ...extensions, ...refused.extensions } }
    : error;
};

interface RefusedExtensions {
  readonly response?: { readonly body?: { readonly errors?: readonly GraphQLFormattedError[] } };
}

/**
 * Starts the platform's graph and one of reviews, composed, behind a gateway that forwards the
 * headers of its caller.
 */
async function startRouter(
  env: Headers = {},
  options: Pick<ApolloServerOptions<BaseContext>, 'formatError'> = {},
) {
  const platform = await startCountedGateway(
    { FEDERATION: 'on', TYPED_FORMS: '*', ...env },
    { definitions: defineRequests() },
  );
  const url = `${platform.url}/graphql`;
  const credentials = { UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'demo' };
  const { stdout } = await runCommand(['subgraph'], {
    UPSTREAM_URL: platform.origin,
    ...credentials,
  });
  const { supergraphSdl, errors } = compose(url, stdout);
  if (errors) throw new AggregateError(errors, errors.join('\n'));

  const gateway = new ApolloGateway({
    supergraphSdl,
    buildService: ({ name }) =>
      name === 'reviews'
        ? new LocalGraphQLDataSource(buildSubgraphSchema({ typeDefs: REVIEWS, resolvers }))
        : new RemoteGraphQLDataSource({
            url,
            willSendRequest({ request, context }) {
              for (const [header, value] of Object.entries<string>(context['headers'] ?? {})) {
                request.http?.headers.set(header, value);
              }
            },
          }),
  });
  const server = new ApolloServer({ gateway, ...options });
  await server.start();
  onTestFinished(() => server.stop());
  platform.calls.length = 0;

  const execute = async (query: string, headers: Headers = {}) => {
    const { body } = await server.executeOperation({ query }, { contextValue: { headers } });
    if (body.kind !== 'single') throw new Error('The answer has several parts.');
    return body.singleResult as {
      // biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape of the data.
      data?: any;
      errors?: readonly { message: string; extensions?: object }[];
    };
  };
  return { ...platform, execute };
}

const compose = (url: string, sdl: string) =>
  composeServices([
    { name: 'caseway', url, typeDefs: parse(sdl) },
    { name: 'reviews', url: 'http://reviews.invalid', typeDefs: REVIEWS },
  ]);

const KEY = 'router-test-key-of-one-caller';
const KEYED = {
  CALLER_AUTH: 'key',
  CALLER_KEYS: `web:${createHash('sha256').update(KEY).digest('hex')}`,
};
const HEADERS = { 'x-api-key': KEY };

it('compiles', async () => {
  const tsc = join(import.meta.dirname, '../../../../node_modules/.bin/tsc');
  await promisify(execFile)(tsc, ['-p', import.meta.dirname]);
});

describe('a router over the platform’s graph and another', () => {
  it('reads the requests of 100 reviews and their suppliers by two calls to the platform', async () => {
    const { execute, calls } = await startRouter();

    const { data, errors } = await execute(
      '{ reviews { purchaseRequest { title supplier { name } } } }',
    );
    expect(errors).toBeUndefined();

    expect(data.reviews).toHaveLength(100);
    expect(data.reviews[99].purchaseRequest).toEqual({
      title: 'request 10',
      supplier: { name: 'supplier 4' },
    });
    expect(calls).toEqual(['getFormIntances', 'getFormIntances']);
  });

  it('shows fields that another subgraph adds to the type of a form', async () => {
    const { execute, calls } = await startRouter();

    const { data, errors } = await execute(
      '{ purchaseRequests(first: 2) { nodes { title reviews { text } } } }',
    );
    expect(errors).toBeUndefined();

    expect(data.purchaseRequests.nodes).toEqual([
      { title: 'request 1', reviews: [{ text: 'review 0' }, { text: 'review 90' }] },
      { title: 'request 2', reviews: [{ text: 'review 1' }, { text: 'review 91' }] },
    ]);
    expect(calls).toEqual(['getFormIntances']);
  });

  it('passes mutations and their errors on', async () => {
    const { execute } = await startRouter();

    const created = await execute(`mutation {
      createPurchaseRequest(input: { values: { title: "New" } }) { instance { id title reviews { id } } }
    }`);
    const refused = await execute(
      'mutation { deletePurchaseRequest(input: { instanceId: "9999" }) { deletedId } }',
    );

    expect(created.errors).toBeUndefined();
    expect(created.data.createPurchaseRequest.instance).toMatchObject({
      title: 'New',
      reviews: [],
    });
    expect(refused.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  });

  /** Requests that the platform's gateway refuses as a whole. */
  const REFUSALS: readonly (readonly [code: string, env: Headers, before: number])[] = [
    ['UNAUTHENTICATED', { CALLER_AUTH: 'key', CALLER_KEYS: `other:${'0'.repeat(64)}` }, 0],
    ['COST_EXCEEDED', { COST_MAX_CALLS: '1' }, 0],
    ['RATE_LIMITED', { ...KEYED, CALLER_REQUESTS_PER_MINUTE: '1' }, 1],
  ];
  const SUPPLIERS_OF_REQUESTS = '{ purchaseRequests { nodes { supplier { name } } } }';

  it.each(REFUSALS)(
    'shows %s as of a field with the formatError of the documentation',
    async (code, env, before) => {
      const { execute } = await startRouter(env, { formatError: showRefusal });
      for (let index = 0; index < before; index++) await execute(SUPPLIERS_OF_REQUESTS, HEADERS);

      const { errors } = await execute(SUPPLIERS_OF_REQUESTS, HEADERS);
      const field = await execute('{ nothing }', HEADERS);

      const retryable = code === 'RATE_LIMITED';
      expect(errors).toMatchObject([
        { extensions: { code, retryable, requestId: expect.any(String) } },
      ]);
      expect(JSON.stringify(errors)).not.toContain('http://');
      expect(field.errors).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
    },
  );

  it('acts for the caller whose headers it forwards, and for no other', async () => {
    const { execute } = await startRouter(KEYED);
    const query = '{ reviews { purchaseRequest { title } } }';

    const known = await execute(query, HEADERS);
    const unknown = await execute(query);

    expect(known.errors).toBeUndefined();
    expect(known.data.reviews[0]).toEqual({ purchaseRequest: { title: 'request 1' } });
    expect(unknown.errors?.[0]).toMatchObject({ extensions: { code: 'UNAUTHENTICATED' } });
  });

  it('composes every kind of field, filter and input without an error or a hint', async () => {
    const { stdout } = await runCommand(['subgraph']);

    const { errors, hints } = compose('http://caseway.invalid', stdout);

    expect(errors).toBeUndefined();
    expect(hints?.map(({ message }) => message)).toEqual([]);
  });
});
