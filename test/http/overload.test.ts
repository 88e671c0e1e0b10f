import { describe, expect, it } from 'vitest';

import { createOverloadLimit } from '../../src/http/overload.ts';
import { startChainPlatform } from '../support/chain-platform.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { limits } from '../support/limits.ts';
import { connectTo, requestFor, statusesOf } from './support/raw-client.ts';

const form = (formId: string) => `{ form(formId: "${formId}") { formId } }`;

const CREATE = `mutation A($values: JSONObject!) {
  createInstance(input: { formId: "link", values: $values }) { instance { instanceId } }
}`;

/** A gateway with room for two, both taken by reads that wait for the platform. */
async function startFull(env: Readonly<Record<string, string>> = {}) {
  const platform = await startChainPlatform();
  const gateway = await startGateway({ ...platform.env, ...limits({ maxConcurrentRequests: 2 }), ...env });
  const pending = [];
  for (const formId of ['a', 'b']) {
    pending.push(await occupy(gateway, platform.next(), formId));
  }
  const release = () => {
    for (const call of platform.calls) call.answer();
  };
  return { ...platform, ...gateway, pending, release };
}

/** Holds one permit. A late event loop lowers the limit for a moment: what it refuses then is sent again. */
async function occupy(gateway: TestGateway, called: Promise<unknown>, formId: string) {
  for (;;) {
    const answer = gateway.execute(form(formId));
    if (await Promise.race([called.then(() => true), answer.then(() => false)])) return { answer };
    expect((await answer).status).toBe(503);
  }
}

const post = (url: string, body: string) =>
  fetch(`${url}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });

describe('an overloaded gateway', () => {
  it('rejects a query with 503, Retry-After and a JSON error, and makes no call', async () => {
    const { url, calls } = await startFull();

    const response = await post(url, JSON.stringify({ query: form('c') }));

    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'OVERLOADED', retryable: true } }] });
    expect(calls).toHaveLength(2);
  });

  it('rejects a GET, and a query whose body has not fully arrived', async () => {
    const { url } = await startFull();
    const client = await connectTo(url);
    const get = await fetch(`${url}/graphql?query=${encodeURIComponent(form('c'))}`);

    client.write(requestFor(form('c')).slice(0, -5));
    client.write(requestFor(form('c')).slice(-5));

    expect(get.status).toBe(503);
    expect(statusesOf(await client.received(/OVERLOADED/))).toEqual(['503']);
  });

  it('is still alive and ready', async () => {
    const { url } = await startFull();

    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  it('rejects a mutation as well, without effect', async () => {
    const { url, calls } = await startFull();

    const response = await post(url, JSON.stringify({ query: CREATE, variables: { values: {} } }));

    expect(response.status).toBe(503);
    expect(calls).toHaveLength(2);
  });

  it('closes the connection instead of waiting for a body that is too large', async () => {
    const { url } = await startFull();
    const client = await connectTo(url);

    client.write('POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n{');
    client.write('x'.repeat(300_000));

    expect(statusesOf(await client.closed)).toEqual(['503']);
  });

  it('has capacity again when a client in flight disconnects', async () => {
    const platform = await startChainPlatform();
    const gateway = await startGateway({ ...platform.env, ...limits({ maxConcurrentRequests: 1 }) });
    const client = await connectTo(gateway.url);
    const called = platform.next();
    client.write(requestFor(form('a')));
    const call = await called;

    client.socket.destroy();
    await call.dropped;

    expect((await gateway.execute('{ __typename }')).status).toBe(200);
  });
});

describe('the limit of requests in flight', () => {
  it('shrinks while the event loop is late, and is what it was once that is over', async () => {
    const limit = createOverloadLimit({ maxConcurrentRequests: 100, lateMs: 50, hasCallers: false });
    const release = limit.acquire(undefined);

    holdUpEventLoop(200);

    await expect.poll(() => limit.usage().limit, { interval: 1 }).toBeLessThan(100);
    release();
    await expect.poll(() => limit.usage().limit, { interval: 1 }).toBe(100);
  });

  it('lets one caller hold as much as before, as long as there is room for others', async () => {
    const lateMs = Number.NEGATIVE_INFINITY;
    const limit = createOverloadLimit({ maxConcurrentRequests: 100, lateMs, hasCallers: true });
    for (let held = 0; held < 40; held++) limit.acquire('one');

    await expect.poll(() => limit.usage().limit, { interval: 1 }).toBeLessThan(80);

    expect(() => limit.acquire('one')).not.toThrow();
  });

  it('leaves room for some however late the event loop is, half of it for one caller', async () => {
    const limit = createOverloadLimit({
      maxConcurrentRequests: 100,
      lateMs: Number.NEGATIVE_INFINITY,
      hasCallers: true,
    });
    limit.acquire('one');

    await expect.poll(() => limit.usage().limit).toBe(32);

    for (let held = 1; held < 16; held++) limit.acquire('one');
    expect(() => limit.acquire('one')).toThrow('Too many of your requests');
    expect(() => limit.acquire('two')).not.toThrow();
  });
});

function holdUpEventLoop(ms: number): void {
  const endAtMs = performance.now() + ms;
  while (performance.now() < endAtMs);
}
