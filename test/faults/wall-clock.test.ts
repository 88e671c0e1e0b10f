import { createServer } from 'node:http';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { hashApiKey } from '../../src/http/auth/callers.ts';
import { executeAs, READ, startPlatform, startWith } from '../identity/support.ts';
import { listen } from '../support/listen.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';

const OWN = { UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'demo' };
const HOUR_MS = 3_600_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const setClockBack = () => vi.setSystemTime(Date.now() - HOUR_MS);

it('a token is renewed in time after the wall clock is set back', async () => {
  let issued = 0;
  const platform = createServer((incoming, outgoing) => {
    const isToken = incoming.url === '/v1.0/token';
    if (isToken) issued++;
    incoming.resume();
    outgoing.setHeader('content-type', 'application/json');
    outgoing.end(JSON.stringify(isToken ? { access_token: `token-${issued}`, expires_in: 1 } : { idForm: 'supplier' }));
  });
  const url = await startWith({ UPSTREAM_URL: await listen(platform), ...OWN, CACHE_DEFINITIONS_MS: '0' });
  await executeAs(url, READ);
  const before = issued;

  setClockBack();
  const renewed = async () => {
    await executeAs(url, READ);
    return issued > before;
  };

  await expect.poll(renewed, { timeout: 10_000, interval: 100 }).toBe(true);
});

it('a refused token is tried again in seconds after the wall clock is set back', async () => {
  let isRefused = true;
  const platform = await scriptPlatform(() =>
    isRefused ? { status: 401, body: {} } : { body: { idForm: 'supplier', name: 'Supplier' } },
  );
  const url = await startWith({ UPSTREAM_URL: platform.env.UPSTREAM_URL, IDENTITY: 'forward' });
  const read = async () => (await executeAs(url, READ, { authorization: 'Bearer ann' })).data;
  await read();
  isRefused = false;

  setClockBack();

  await expect.poll(read, { timeout: 10_000, interval: 100 }).toEqual({ form: { name: 'Supplier' } });
});

it('a caller at the limit waits no longer than a minute after the wall clock is set back', async () => {
  const { url: UPSTREAM_URL } = await startPlatform();
  const keys = { CALLER_AUTH: 'key', CALLER_KEYS: `web:${hashApiKey('web')}`, CALLER_REQUESTS_PER_MINUTE: '1' };
  const url = await startWith({ UPSTREAM_URL, ...OWN, ...keys });
  const execute = () => executeAs(url, '{ __typename }', { 'x-api-key': 'web' });
  await execute();

  setClockBack();
  const limited = await execute();

  expect(limited.status).toBe(429);
  expect(Number(limited.headers.get('retry-after'))).toBeLessThanOrEqual(60);
});
