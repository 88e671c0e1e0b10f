import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { composeServices } from '@apollo/composition';
import { ApolloGateway, LocalGraphQLDataSource, RemoteGraphQLDataSource } from '@apollo/gateway';
import { ApolloServer } from '@apollo/server';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { type GraphQLFormattedError, parse } from 'graphql';
import { afterAll, describe, expect, it } from 'vitest';
import { type Env, startCountedGateway } from '../../../support/gateway.ts';
import { closeWithTest } from '../../../support/listen.ts';
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

const idOf = (instanceId: number) =>
  Buffer.from(JSON.stringify(['Instance', 'purchase-request', String(instanceId)])).toString(
    'base64url',
  );

/** A hundred reviews of fifty purchase requests, two of each. */
const reviews = Array.from({ length: 100 }, (_, index) => ({
  id: `review-${index}`,
  text: `review ${index}`,
  purchaseRequest: { __typename: 'PurchaseRequest', id: idOf((index % 50) + 1) },
}));

const resolvers = {
  Query: { reviews: () => reviews },
  PurchaseRequest: {
    reviews: ({ id }: { id: string }) =>
      reviews.filter(({ purchaseRequest }) => purchaseRequest.id === id),
  },
};

const { stdout: subgraph } = await runCommand(['subgraph']);

const composeAt = (url: string) =>
  composeServices([
    { name: 'caseway', url, typeDefs: parse(subgraph) },
    { name: 'reviews', url: 'http://reviews.invalid', typeDefs: REVIEWS },
  ]);

/**
 * Takes the code and the message of a refused request out of the answer that the router has got, as
 * the documentation shows.
 */
function formatError(error: GraphQLFormattedError): GraphQLFormattedError {
  const { response, ...extensions } = (error.extensions ?? {}) as RefusedExtensions;
  const refused = response?.body?.errors?.[0];
  return refused
    ? { ...error, message: refused.message, extensions: { ...extensions, ...refused.extensions } }
    : error;
}

interface RefusedExtensions {
  readonly response?: { readonly body?: { readonly errors?: readonly GraphQLFormattedError[] } };
}

/**
 * Starts the platform's graph and one of reviews, composed, behind a gateway that forwards the
 * headers of its caller.
 */
async function startRouter(env: Env = {}) {
  const caseway = await startCountedGateway({ FEDERATION: 'on', TYPED_FORMS: '*', ...env });
  const url = `${caseway.url}/graphql`;
  const gateway = new ApolloGateway({
    supergraphSdl: composeAt(url).supergraphSdl ?? '',
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
  const server = new ApolloServer({ gateway, formatError });
  await server.start();
  closeWithTest(() => server.stop());
  const close = () => server.stop().then(caseway.close);

  const execute = async (query: string, headers: Env = {}) => {
    caseway.calls.length = 0;
    const { body } = await server.executeOperation({ query }, { contextValue: { headers } });
    if (body.kind !== 'single') throw new Error('The answer has several parts.');
    return body.singleResult as {
      // biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape of the data.
      data?: any;
      errors?: readonly { message: string; extensions?: object }[];
    };
  };
  return { execute, close, calls: caseway.calls };
}

const { execute, calls, close } = await startRouter();
afterAll(close);

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
    const { data, errors } = await execute(
      '{ reviews { purchaseRequest { title supplier { name } } } }',
    );

    expect(errors).toBeUndefined();
    expect(data.reviews).toHaveLength(100);
    expect(data.reviews[50].purchaseRequest).toEqual({
      title: 'Torque wrenches for assembly line 2',
      supplier: { name: 'Bergmann Werkzeuge GmbH' },
    });
    expect(calls).toEqual(['getFormIntances', 'getFormIntances']);
  });

  it('shows fields that another subgraph adds to the type of a form', async () => {
    const { data, errors } = await execute(
      '{ purchaseRequests(first: 2) { nodes { instanceId reviews { text } } } }',
    );

    expect(errors).toBeUndefined();
    expect(data.purchaseRequests.nodes).toEqual([
      { instanceId: '1', reviews: [{ text: 'review 0' }, { text: 'review 50' }] },
      { instanceId: '2', reviews: [{ text: 'review 1' }, { text: 'review 51' }] },
    ]);
    expect(calls).toEqual(['getFormIntances']);
  });

  it('passes mutations and their errors on', async () => {
    const created = await execute(`mutation {
      createPurchaseRequest(input: { values: { title: "New", amount: 1, quantity: 1, requester: 1, status: DRAFT } }) {
        instance { title reviews { id } }
      }
    }`);
    const refused = await execute(
      'mutation { deletePurchaseRequest(input: { instanceId: "9999" }) { deletedId } }',
    );

    expect(created.errors).toBeUndefined();
    expect(created.data.createPurchaseRequest.instance).toEqual({ title: 'New', reviews: [] });
    expect(refused.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  });

  it.each<[code: string, env: Env, before: number]>([
    ['UNAUTHENTICATED', { CALLER_AUTH: 'key', CALLER_KEYS: `other:${'0'.repeat(64)}` }, 0],
    ['COST_EXCEEDED', { COST_MAX_CALLS: '1' }, 0],
    ['RATE_LIMITED', { ...KEYED, CALLER_REQUESTS_PER_MINUTE: '1' }, 1],
  ])(
    'shows %s, which refuses a request as a whole, as of a field with the formatError of the documentation',
    async (code, env, before) => {
      const { execute } = await startRouter(env);
      const query = '{ purchaseRequests { nodes { supplier { name } } } }';
      for (let index = 0; index < before; index++) await execute(query, HEADERS);

      const { errors } = await execute(query, HEADERS);
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
    const query = '{ reviews { purchaseRequest { instanceId } } }';

    const known = await execute(query, HEADERS);
    const unknown = await execute(query);

    expect(known.errors).toBeUndefined();
    expect(known.data.reviews[0]).toEqual({ purchaseRequest: { instanceId: '1' } });
    expect(unknown.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  });

  it('composes every kind of field, filter and input without an error or a hint', () => {
    const { errors, hints } = composeAt('http://caseway.invalid');

    expect(errors).toBeUndefined();
    expect(hints?.map(({ message }) => message)).toEqual([]);
  });
});
