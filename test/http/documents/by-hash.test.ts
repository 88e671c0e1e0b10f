import { describe, expect, it } from 'vitest';

import { startWith } from '../../identity/support.ts';
import { shareGateway } from '../../support/gateway.ts';
import { ANSWER, byHash, get, hashOf, post, QUERY } from './client.ts';

const HASH = hashOf(QUERY);
const NOT_FOUND = {
  status: 200,
  errors: [
    { message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } },
  ],
};
const REFUSED = { status: 400, errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] };

const gateway = shareGateway();

describe('a persisted document requested by its hash', () => {
  it('is not found, also not by caches, until a client has sent its text, then by POST and by GET', async () => {
    const url = await startWith();
    const extensions = byHash(HASH);

    expect(await post(url, { extensions })).toMatchObject(NOT_FOUND);
    const { status, headers } = await get(url, { extensions });
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(headers.get('etag')).toBeNull();

    expect(await post(url, { query: QUERY, extensions })).toMatchObject(ANSWER);
    expect(await post(url, { extensions })).toMatchObject(ANSWER);
    expect(await (await get(url, { extensions })).json()).toEqual(ANSWER);
    expect(await post(url, { documentId: `sha256:${HASH}` })).toMatchObject(ANSWER);
  });

  it('takes variables and an operation name, and may be registered by GET', async () => {
    const query = 'query A($id: ID!) { form(formId: $id) { name } } query B { __typename }';
    const extensions = byHash(hashOf(query));
    const asked = { extensions, variables: { id: 'supplier' }, operationName: 'A' };

    expect(await (await get(gateway.url, { query, ...asked })).json()).toEqual(ANSWER);
    expect(await (await get(gateway.url, asked)).json()).toEqual(ANSWER);
    expect(await post(gateway.url, { ...asked, operationName: 'B' })).toMatchObject({
      data: { __typename: 'Query' },
    });
  });

  it('is rejected where the hash does not match, and not stored', async () => {
    const extensions = byHash(hashOf('{ forms { totalCount } }'));

    expect(await post(gateway.url, { query: QUERY, extensions })).toMatchObject(REFUSED);
    expect(await post(gateway.url, { extensions })).toMatchObject(NOT_FOUND);
  });

  it.each([
    ['is no GraphQL', '{ form('],
    ['does not fit the schema', '{ nothing }'],
    ['is beyond the limits', `{ ${'{ a '.repeat(13)}${' }'.repeat(13)} }`],
    [
      'costs too much',
      '{ forms(first: 100) { nodes { instances { nodes { reference(field: "a") { id } } } } } }',
    ],
  ])('is not stored where it %s', async (_what, query) => {
    const { url } = gateway;
    const extensions = byHash(hashOf(query));

    expect(await post(url, { query, extensions })).toMatchObject({ errors: [{}] });
    expect(await post(url, { extensions })).toMatchObject(NOT_FOUND);
  });

  it('cannot be a mutation by GET', async () => {
    const query =
      'mutation { deleteInstance(input: { formId: "supplier", instanceId: 999 }) { deletedId } }';
    const extensions = byHash(hashOf(query));
    await post(gateway.url, { query, extensions });

    expect((await get(gateway.url, { extensions })).status).toBe(405);
    expect(await post(gateway.url, { extensions })).toMatchObject({
      errors: [{ extensions: { code: 'NOT_FOUND' } }],
    });
  });
});

describe('an invalid document id', () => {
  it.each([
    ['the hash __proto__', { extensions: byHash('__proto__') }],
    ['a hash too short', { extensions: byHash(HASH.slice(1)) }],
    ['a list as a hash', { extensions: byHash([HASH]) }],
    ['no hash', { extensions: { persistedQuery: { version: 1 } } }],
    ['another version', { extensions: byHash(HASH, 2) }],
    ['false', { query: QUERY, extensions: { persistedQuery: false } }],
    ['an id that is an object', { documentId: { id: HASH } }],
    ['an id that is empty', { documentId: '' }],
    ['an id beside a text', { documentId: HASH, query: QUERY }],
    ['an id beside a hash', { documentId: HASH, extensions: byHash(HASH) }],
  ])('is rejected: %s', async (_what, body) => {
    expect(await post(gateway.url, body)).toMatchObject(REFUSED);
  });

  it.each(['__proto__', 'constructor', 'toString'])(
    'has no built-in meaning: %s as an id',
    async (documentId) => {
      expect(await post(gateway.url, { documentId })).toMatchObject(NOT_FOUND);
    },
  );

  it('is rejected where a GET has it twice', async () => {
    const { status } = await fetch(`${gateway.url}/graphql?documentId=a&documentId=b`);

    expect(status).toBe(400);
  });
});
