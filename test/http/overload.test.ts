import { describe, expect, it } from 'vitest';

import { createOverloadLimit } from '../../src/http/overload.ts';
import { startChainPlatform } from '../support/chain-platform.ts';
import { postGraphql, startGateway } from '../support/gateway.ts';
import { limits } from '../support/limits.ts';
import { connectTo, requestFor, statusesOf } from './support/raw-client.ts';

const form = (formId: string) => `{ form(formId: "${formId}") { formId } }`;
const CREATE =
  'mutation { createInstance(input: { formId: "link", values: {} }) { instance { instanceId } } }';

/**
 * Starts a gateway with this limit of requests, and fills it with reads that wait for the platform.
 */
async function startFull(maxConcurrentRequests: number) {
  const platform = await startChainPlatform();
  const gateway = await startGateway({ ...platform.env, ...limits({ maxConcurrentRequests }) });
  const clients = [];
  for (let n = 0; n < maxConcurrentRequests; n++) {
    const called = platform.next();
    const client = await connectTo(gateway.url);
    client.write(requestFor(form(`f${n}`)));
    await called;
    clients.push(client);
  }
  return { ...platform, ...gateway, clients };
}

describe('an overloaded gateway', () => {
  it('rejects queries by POST and GET, mutations, and a query that has not fully arrived, and makes no call', async () => {
    const { url, calls } = await startFull(2);
    const client = await connectTo(url);
    const query = form('c');

    const response = await fetch(`${url}/graphql?${new URLSearchParams({ query })}`);
    const byGet = { status: response.status, ...((await response.json()) as object) };
    client.write(requestFor(query).slice(0, -5));
    client.write(requestFor(query).slice(-5));

    expect(response.headers.get('retry-after')).toBe('1');
    for (const answer of [
      byGet,
      await postGraphql(url, { query }),
      await postGraphql(url, { query: CREATE }),
    ]) {
      expect(answer).toMatchObject({
        status: 503,
        errors: [{ extensions: { code: 'OVERLOADED', retryable: true } }],
      });
    }
    expect(statusesOf(await client.received(/OVERLOADED/))).toEqual(['503']);
    expect(calls).toHaveLength(2);
  });

  it('is still alive and ready, and does not wait for a body that is too large', async () => {
    const { url } = await startFull(1);
    const client = await connectTo(url);

    client.write('POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n{');
    client.write('x'.repeat(300_000));

    expect(statusesOf(await client.received(/OVERLOADED/))).toEqual(['503']);
    for (const path of ['/livez', '/readyz'])
      expect((await fetch(`${url}${path}`)).status).toBe(200);
  });

  it('has capacity again when a client in flight disconnects', async () => {
    const { execute, calls, clients } = await startFull(1);

    clients[0]?.socket.destroy();
    await calls[0]?.dropped;

    expect((await execute('{ __typename }')).status).toBe(200);
  });
});

describe('the limit of requests in flight', () => {
  const LATE = { maxConcurrentRequests: 100, lateMs: Number.NEGATIVE_INFINITY, hasCallers: true };

  it('shrinks while the event loop is late, and recovers afterwards', async () => {
    const limit = createOverloadLimit({ ...LATE, lateMs: 50, hasCallers: false });
    const release = limit.acquire(undefined);

    const endAtMs = performance.now() + 200;
    while (performance.now() < endAtMs);

    await expect.poll(() => limit.usage().limit, { interval: 1 }).toBeLessThan(100);
    release();
    await expect.poll(() => limit.usage().limit, { interval: 1 }).toBe(100);
  });

  it('lets one caller hold as much as before, as long as there is room for others', async () => {
    const limit = createOverloadLimit(LATE);
    for (let held = 0; held < 40; held++) limit.acquire('one');

    await expect.poll(() => limit.usage().limit, { interval: 1 }).toBeLessThan(80);

    expect(() => limit.acquire('one')).not.toThrow();
  });

  it('leaves room for some however late the event loop is, half of it for one caller', async () => {
    const limit = createOverloadLimit(LATE);
    limit.acquire('one');

    await expect.poll(() => limit.usage().limit).toBe(32);

    for (let held = 1; held < 16; held++) limit.acquire('one');
    expect(() => limit.acquire('one')).toThrow('Too many of your requests');
    expect(() => limit.acquire('two')).not.toThrow();
  });
});
