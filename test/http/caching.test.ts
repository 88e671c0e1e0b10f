import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';

import { startWith } from '../identity/support.ts';
import { postBody, shareGateway } from '../support/gateway.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';

const QUERY = '{ instances(formId: "supplier") { totalCount } }';
const DEFINITION =
  '{ form(formId: "supplier") { name } rule(component: "approval-level", version: "1.0") { name } }';
const OWN = /authorization.*cookie.*accept.*x-api-key/i;
const REQUEST_ID = /^[0-9a-f-]{36}$/;

const gateway = shareGateway();

const get = (query = QUERY, headers: Record<string, string> = {}, url = gateway.url) =>
  fetch(`${url}/graphql?query=${encodeURIComponent(query)}`, { headers });
const cacheControlAt = async (url: string, query: string) =>
  (await get(query, {}, url)).headers.get('cache-control');

describe('the response to a query by GET', () => {
  it('may be stored by the caller’s own cache, which must revalidate', async () => {
    const response = await get();
    const { status, headers } = response;

    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(headers.get('vary')).toMatch(OWN);
    expect(headers.get('etag')).toBe(`"${hash('sha256', await response.text(), 'base64url')}"`);
  });

  it('is a 304 without a body for a matching ETag', async () => {
    const etag = (await get()).headers.get('etag') ?? '';

    for (const said of [etag, `W/${etag}`, `"a", ${etag} , "b"`, '*']) {
      const { status, headers, body } = await get(QUERY, { 'if-none-match': said });
      expect([status, body], said).toEqual([304, null]);
      // A cache would replace its stored headers with these.
      expect([headers.get('content-type'), headers.get('content-length')]).toEqual([null, null]);
      expect(headers.get('etag')).toBe(etag);
      expect(headers.get('cache-control')).toBe('private, no-cache');
      expect(headers.get('vary')).toMatch(OWN);
      expect(headers.get('x-request-id')).toMatch(REQUEST_ID);
    }
  });

  it('is sent in full once it has changed', async () => {
    const etag = (await get()).headers.get('etag') ?? '';
    await gateway.dataOf(
      'mutation { createInstance(input: { formId: "supplier", values: { name: "New", country: "DE", active: true } }) { instance { id } } }',
    );

    const again = await get(QUERY, { 'if-none-match': etag });

    expect(again.status).toBe(200);
    expect(again.headers.get('etag')).not.toBe(etag);
  });

  it('is not cacheable where it has any error', async () => {
    const { env } = await scriptPlatform(({ url }) =>
      url.includes('/instances')
        ? { status: 403, body: {} }
        : { body: { idForm: 'open', name: 'Open', fields: [] } },
    );
    const url = await startWith(env);
    const partial = '{ form(formId: "open") { name } instances(formId: "open") { totalCount } }';

    for (const query of [partial, '{ a }', '{']) {
      const response = await get(query, { 'if-none-match': '*' }, url);
      expect(response.status).not.toBe(304);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('etag')).toBeNull();
      expect(await response.json()).toHaveProperty('errors');
    }
  });

  it('is fresh for as long as the gateway’s own copy', async () => {
    const cached = (await get(DEFINITION)).headers.get('cache-control') ?? '';
    const again = await get(DEFINITION, { 'if-none-match': '*' });

    const seconds = Number(/^private, max-age=(\d+)$/.exec(cached)?.[1]);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(again.status).toBe(304);
    expect(again.headers.get('cache-control')).toMatch(/^private, max-age=\d+$/);
  });

  it.each([
    [
      'where a mutation of the gateway may change part of it',
      DEFINITION.replace('{', `{ ${QUERY.slice(2, -2)}`),
      {},
    ],
    ['where the gateway always revalidates', DEFINITION, { CACHE_DEFINITIONS_MS: '0' }],
    ['where it would be fresh for less than a second', DEFINITION, { CACHE_DEFINITIONS_MS: '900' }],
    ['where no call was made', '{ viewer { name } }', {}],
  ])('must be revalidated each time %s', async (_when, query, env) => {
    const url = await startWith({ CACHE_INSTANCES_MS: '60000', ...env });

    expect(await cacheControlAt(url, query)).toBe('private, no-cache');
  });

  it('is not cacheable where it may be stale', async () => {
    const answer = { status: 200, body: [{ idInstance: 1, values: {} }] };
    const { env } = await scriptPlatform(() => answer);
    const url = await startWith({ ...env, STALE_IF_ERROR_MS: '60000' });
    const query = '{ instances(formId: "a") { nodes { instanceId } } }';
    expect(await cacheControlAt(url, query)).toBe('private, no-cache');
    answer.status = 500;

    const response = await get(query, {}, url);

    expect(await response.json()).toHaveProperty('extensions.stale');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('varies by origin too where pages of other origins are allowed', async () => {
    const origin = 'https://app.example';
    const { headers } = await get(QUERY, { origin }, await startWith({ CORS_ORIGINS: origin }));

    expect(headers.get('vary')).toMatch(/origin/i);
    expect(headers.get('vary')).toMatch(OWN);
  });
});

it('a response to a POST is not cacheable', async () => {
  const { status, headers } = await postBody(
    gateway.url,
    { query: QUERY },
    { 'if-none-match': '*' },
  );

  expect(status).toBe(200);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('etag')).toBeNull();
  expect(headers.get('x-request-id')).toMatch(REQUEST_ID);
});
