import { createServer, request, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';

import { startChainPlatform } from '../support/chain-platform.ts';
import { startGateway } from '../support/gateway.ts';
import { limits } from '../support/limits.ts';
import { listen } from '../support/listen.ts';

/** Four calls, one after the other: list, form, reference, reference. */
const CHAIN = `{ instances(formId: "link") { nodes {
  reference(field: "next") { reference(field: "next") { instanceId } }
} } }`;
const CREATE =
  'createInstance(input: { formId: "link", values: { next: "2" } }) { instance { instanceId } }';

async function start(env: object = {}) {
  const platform = await startChainPlatform();
  const gateway = await startGateway({ ...platform.env, ...env });
  /** Round trips through the same gateway: what an abort would set off has been set off by then. */
  const settle = async () => {
    for (let turn = 0; turn < 5; turn++) await (await fetch(`${gateway.url}/livez`)).text();
  };
  return { ...platform, ...gateway, settle };
}

/** Sends a query by a client that can leave. */
function send(url: string, query: string, headers: Readonly<Record<string, string>> = {}) {
  const client = request(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
  });
  client.on('error', () => undefined);
  return client.end(JSON.stringify({ query }));
}

describe('a disconnected client', () => {
  it.each([0, 1, 2, 3])(
    'causes no call after the one in flight, be it number %i of four',
    async (number) => {
      const { url, settle, calls, next } = await start();
      const client = send(url, CHAIN);
      for (let answered = 0; answered < number; answered++) (await next()).answer();
      const inFlight = await next();

      client.destroy();
      await inFlight.dropped;
      await settle();

      expect(calls).toHaveLength(number + 1);
    },
  );

  it('lets the write in progress finish and starts no other', async () => {
    const { url, settle, calls, next } = await start();
    const client = send(url, `mutation { a: ${CREATE} b: ${CREATE} }`);
    const begun = await next();

    client.destroy();
    await settle();
    begun.answer();
    await begun.dropped;
    await settle();

    expect(begun.isAnswered()).toBe(true);
    expect(calls).toMatchObject([{ method: 'POST' }]);
  });

  it('causes no call when it disconnected while it was authenticated', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const issuer = createServer();
    const keysRequested = new Promise<ServerResponse>((resolve) =>
      issuer.once('request', (_request, response) => resolve(response)),
    );
    const CALLER_JWKS_URL = await listen(issuer);
    const { url, calls, settle } = await start({ CALLER_AUTH: 'jwt', CALLER_JWKS_URL });
    const jwt = new SignJWT().setProtectedHeader({ alg: 'ES256' }).setSubject('ann');
    const token = await jwt.setExpirationTime('1h').sign(privateKey);
    const headers = { authorization: `Bearer ${token}` };
    const client = send(url, CHAIN, headers);
    const response = await keysRequested;

    client.destroy();
    await settle();
    const key = { ...(await exportJWK(publicKey)), alg: 'ES256' };
    response.end(JSON.stringify({ keys: [key] }));
    for (let turn = 0; turn < 5; turn++) {
      const other = await fetch(`${url}/graphql?query={__typename}`, { headers });
      expect(other.status).toBe(200);
    }

    expect(calls).toEqual([]);
  });
});

describe('clients waiting for the same response', () => {
  const QUERY =
    '{ instance(formId: "link", instanceId: 1) { reference(field: "next") { instanceId } } }';

  /**
   * One client that has begun the query, and has its first of two calls in flight; operation and
   * form are known.
   */
  async function begin() {
    const platform = await start();
    const prepared = platform.execute(QUERY);
    for (let answered = 0; answered < 3; answered++) (await platform.next()).answer();
    await prepared;
    platform.calls.length = 0;
    const first = send(platform.url, QUERY);
    return { ...platform, first, inFlight: await platform.next() };
  }

  it('receive it from the first client’s calls, although that client disconnects', async () => {
    const { execute, settle, calls, next, first, inFlight } = await begin();
    const second = execute(QUERY);
    await settle();

    first.destroy();
    await settle();
    inFlight.answer();
    (await next()).answer();

    expect((await second).data.instance).toEqual({ reference: { instanceId: '2' } });
    expect(calls).toHaveLength(2);
  });

  it('cause no further call after all of them disconnected', async () => {
    const { url, settle, calls, first, inFlight } = await begin();
    const second = send(url, QUERY);
    await settle();

    first.destroy();
    await settle();
    second.destroy();
    await inFlight.dropped;
    await settle();

    expect(calls).toHaveLength(1);
  });
});

it('a request past its deadline returns the result of the write in progress, and starts no other', async () => {
  const { execute, calls, next } = await start(limits({ callsInARow: 0.2 }));
  const pending = execute(`mutation { a: ${CREATE} b: ${CREATE} }`);
  const begun = await next();
  const read = await execute('{ form(formId: "link") { name } }');
  // Its time began later, so when it is up, the change's is up as well.
  expect(read.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);

  begun.answer();

  expect((await pending).errors).toMatchObject([
    { path: ['b'], extensions: { code: 'UPSTREAM_TIMEOUT', retryable: false } },
  ]);
  expect(calls).toMatchObject([{ method: 'POST' }, { method: 'GET' }]);
});
