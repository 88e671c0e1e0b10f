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

describe('a persisted document requested by its hash', () => {
  it('is not found until a client has sent its text, then by POST and by GET', async () => {
    const url = await startWith();
    const extensions = byHash(HASH);

    expect(await post(url, { extensions })).toMatchObject(NOT_FOUND);
    expect(await post(url, { query: QUERY, extensions })).toMatchObject(ANSWER);
    expect(await post(url, { extensions })).toMatchObject(ANSWER);
    expect(await (await get(url, { extensions })).json()).toEqual(ANSWER);
    expect(await post(url, { documentId: `sha256:${HASH}` })).toMatchObject(ANSWER);
  });

  it('is not kept by caches while it is not found, so that it is found after its text was sent', async () => {
    const url = await startWith();
    const extensions = byHash(HASH);

    const { status, headers } = await get(url, { extensions });

    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(headers.get('etag')).toBeNull();
  });

  it('takes variables and an operation name, and may be registered by GET', async () => {
    const url = await startWith();
    const query = 'query A($id: ID!) { form(formId: $id) { name } } query B { __typename }';
    const asked = {
      extensions: byHash(hashOf(query)),
      variables: { id: 'supplier' },
      operationName: 'A',
    };

    expect(await (await get(url, { query, ...asked })).json()).toEqual(ANSWER);
    expect(await (await get(url, asked)).json()).toEqual(ANSWER);
    expect(await post(url, { ...asked, operationName: 'B' })).toMatchObject({
      data: { __typename: 'Query' },
    });
  });

  it('is rejected where the hash does not match, and not stored', async () => {
    const url = await startWith();
    const extensions = byHash(hashOf('{ forms { totalCount } }'));

    expect(await post(url, { query: QUERY, extensions })).toMatchObject(REFUSED);
    expect(await post(url, { extensions })).toMatchObject(NOT_FOUND);
  });

  it('is not stored where it is no GraphQL, does not fit the schema, is beyond the limits or costs too much', async () => {
    const url = await startWith({ COST_MAX_CALLS: '2' });

    for (const query of [
      '{ form(',
      '{ nothing }',
      `{ ${'{ a '.repeat(13)}${' }'.repeat(13)} }`,
      '{ forms { nodes { instances { totalCount } } } }',
    ]) {
      const extensions = byHash(hashOf(query));
      expect(await post(url, { query, extensions }), query).toMatchObject({ errors: [{}] });
      expect(await post(url, { extensions }), query).toMatchObject(NOT_FOUND);
    }
  });

  it('cannot be a mutation by GET', async () => {
    const url = await startWith();
    const query =
      'mutation { deleteInstance(input: { formId: "supplier", instanceId: 999 }) { deletedId } }';
    const extensions = byHash(hashOf(query));
    await post(url, { query, extensions });

    expect((await get(url, { extensions })).status).toBe(405);
    expect(await post(url, { extensions })).toMatchObject({
      errors: [{ extensions: { code: 'NOT_FOUND' } }],
    });
  });
});

describe('an invalid document id', () => {
  const gateway = shareGateway();

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
    const response = await fetch(`${gateway.url}/graphql?documentId=a&documentId=b`);

    expect(response.status).toBe(400);
  });
});
