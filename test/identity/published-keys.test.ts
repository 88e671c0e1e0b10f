import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, it, onTestFinished, vi } from 'vitest';

import { startGateway } from '../support/gateway.ts';
import { listen } from '../support/listen.ts';
import { executeAs, OWN, VIEWER } from './support.ts';

/**
 * An issuer whose key set a test answers by hand, a gateway that trusts it, and tokens of its keys.
 */
async function start() {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  const requests: ServerResponse[] = [];
  const issuer = createServer((_request, response) => requests.push(response));
  const CALLER_JWKS_URL = `${await listen(issuer)}/keys`;
  // No operation of these tests calls the platform.
  const { url, metrics } = await startGateway({
    UPSTREAM_URL: 'http://127.0.0.1:9',
    ...OWN,
    METRICS_PORT: '0',
    CALLER_AUTH: 'jwt',
    CALLER_JWKS_URL,
  });
  const read = async (kid: string) => {
    const jwt = new SignJWT({ sub: 'ann', exp: 4e9 }).setProtectedHeader({ alg: 'ES256', kid });
    return executeAs(url, VIEWER, { authorization: `Bearer ${await jwt.sign(privateKey)}` });
  };
  const statusOf = async (kid: string) => (await read(kid)).status;
  const asked = async () => {
    if (requests.length === 0) await once(issuer, 'request');
    return requests.shift();
  };
  /** Answers the oldest request for the keys. */
  const publish = async (...kids: readonly string[]) =>
    (await asked())?.end(
      JSON.stringify({ keys: kids.map((kid) => ({ ...jwk, kid, alg: 'ES256' })) }),
    );
  const fail = async () => (await asked())?.writeHead(500).end();
  return { issuer, requests, read, statusOf, publish, fail, metrics };
}

const times = <T>(count: number, run: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => run(n));

it('refuses keys that the issuer does not publish at once, without asking it again and again, while others are served', async () => {
  const { requests, read, statusOf, publish } = await start();
  const first = read('now');
  await publish('now');
  expect((await first).data.viewer.name).toBe('ann');

  const unknown = await Promise.all(times(130, (n) => statusOf(`invented-${n}`)));
  const known = await Promise.all(times(6, () => statusOf('now')));

  expect(unknown).toEqual(Array(130).fill(401));
  expect(known).toEqual(Array(6).fill(200));
  expect(requests).toHaveLength(0);
});

it('refuses all callers while the keys cannot be read, with the time to wait', async () => {
  const { read, publish, fail } = await start();
  const early = read('now');
  await fail();

  expect((await early).status).toBe(503);
  expect((await early).headers.get('retry-after')).toBe('1');
  expect((await early).errors).toMatchObject([
    { extensions: { code: 'CALLERS_UNKNOWN', retryable: true } },
  ]);
  const published = publish('now');
  await expect.poll(async () => (await read('now')).data?.viewer.name).toBe('ann');
  await published;
});

it.each<[reason: RegExp, url: () => Promise<string>]>([
  [/^ECONNREFUSED$/, closedAddress],
  [/^bad port$/, async () => 'http://127.0.0.1:1'],
  [
    /^Expected 200 OK/,
    () => listen(createServer((_request, response) => response.writeHead(500).end())),
  ],
])('logs why the keys cannot be read, and the next step: %s', async (reason, url) => {
  const { logged, url: gateway } = await startGateway({
    UPSTREAM_URL: 'http://127.0.0.1:9',
    ...OWN,
    CALLER_AUTH: 'jwt',
    CALLER_JWKS_URL: await url(),
    LOG_LEVEL: 'warn',
  });
  const token = [{ alg: 'ES256' }, { sub: 'ann' }].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );

  await executeAs(gateway, VIEWER, { authorization: `Bearer ${token.join('.')}.c2ln` });

  expect(logged().filter(({ msg }) => msg === 'CALLER_JWKS_URL cannot be read')).toEqual([
    {
      level: 40,
      time: expect.any(String),
      reason: expect.stringMatching(reason),
      advice: expect.stringContaining('certificate'),
      msg: 'CALLER_JWKS_URL cannot be read',
    },
  ]);
});

/** Returns an address of this machine where nothing listens. */
async function closedAddress(): Promise<string> {
  const server = createServer();
  const address = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return address;
}

it('takes a new key half a minute after the keys were read, and keeps those it knows while the issuer is down', async () => {
  const { statusOf, publish, fail } = await start();
  const first = statusOf('now');
  await publish('now');
  await first;

  expect(await statusOf('next')).toBe(401);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30_001 });
  onTestFinished(() => void vi.useRealTimers());
  const early = statusOf('next');
  await fail();
  expect([await early, await statusOf('now')]).toEqual([503, 200]);
  const taken = statusOf('next');
  await publish('now', 'next');

  expect(await taken).toBe(200);
});

it('does not count a request as in flight before its caller is known', async () => {
  const { issuer, statusOf, publish, metrics } = await start();
  const waiting = statusOf('now');
  await once(issuer, 'request');

  const page = await metrics();
  await publish('now');

  expect(await waiting).toBe(200);
  expect(page).toContain('caseway_requests_in_flight 0\n');
});
