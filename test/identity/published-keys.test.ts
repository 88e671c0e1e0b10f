import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, it, onTestFinished, vi } from 'vitest';

import { startGateway } from '../support/gateway.ts';
import { listen } from '../support/listen.ts';
import { executeAs, startPlatform, VIEWER } from './support.ts';

/** An issuer whose key set a test answers by hand, a gateway that trusts it, and tokens of its keys. */
async function start() {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  const requests: ServerResponse[] = [];
  const issuer = createServer((_request, response) => requests.push(response));
  const CALLER_JWKS_URL = `${await listen(issuer)}/keys`;
  const { url: UPSTREAM_URL } = await startPlatform();
  const { url, metricsUrl } = await startGateway({
    METRICS_PORT: '0',
    ...{ UPSTREAM_URL, UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'demo' },
    ...{ CALLER_AUTH: 'jwt', CALLER_JWKS_URL },
  });
  const read = async (kid: string) => {
    const jwt = new SignJWT().setProtectedHeader({ alg: 'ES256', kid }).setSubject('ann').setExpirationTime('1h');
    return (await executeAs(url, VIEWER, { authorization: `Bearer ${await jwt.sign(privateKey)}` })).status;
  };
  /** Answers the oldest request for the keys. */
  const publish = async (...kids: readonly string[]) => {
    if (requests.length === 0) await once(issuer, 'request');
    requests.shift()?.end(JSON.stringify({ keys: kids.map((kid) => ({ ...jwk, kid, alg: 'ES256' })) }));
  };
  return { issuer, requests, read, publish, metricsUrl };
}

const times = <T>(count: number, run: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => run(n));

it('refuses keys that the issuer does not publish at once, without asking it again and again, while others are served', async () => {
  const { requests, read, publish } = await start();
  const first = read('now');
  await publish('now');
  expect(await first).toBe(200);

  const unknown = await Promise.all(times(130, (n) => read(`invented-${n}`)));
  const known = await Promise.all(times(6, () => read('now')));

  expect(unknown).toEqual(Array(130).fill(401));
  expect(known).toEqual(Array(6).fill(200));
  expect(requests).toHaveLength(0);
});

it('takes a new key half a minute after the keys were read', async () => {
  const { read, publish } = await start();
  const first = read('now');
  await publish('now');
  await first;

  expect(await read('next')).toBe(401);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30_001 });
  onTestFinished(() => void vi.useRealTimers());
  const taken = read('next');
  await publish('now', 'next');

  expect(await taken).toBe(200);
});

it('does not count a request as in flight before its caller is known', async () => {
  const { issuer, read, publish, metricsUrl = '' } = await start();
  const waiting = read('now');
  await once(issuer, 'request');

  const metrics = await (await fetch(metricsUrl)).text();
  await publish('now');

  expect(await waiting).toBe(200);
  expect(metrics).toContain('caseway_requests_in_flight 0\n');
});
