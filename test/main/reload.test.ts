import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { subscribe } from '../features/live/support.ts';
import { startPlatform, startReplicas } from '../features/replicas/replicas.ts';
import { executeAs } from '../identity/support.ts';
import { KEYS, keyEntries, READ, replaceFile, writeFiles } from '../reload/support.ts';
import { startRedis } from '../support/redis.ts';
import { runMain } from '../support/run.ts';

const LIST = 'subscription { instances(formId: "supplier") { totalCount } }';
/** How much longer a busy machine takes: still less than the ten seconds from one look at the files to the next. */
const BUSY = 5;
const [WEB, MOBILE] = KEYS;
const statusAt = async (url: string, key: string) => (await executeAs(url, READ, { 'x-api-key': key })).status;

/** Two replicas that read the same files, with a stream of each key at each. */
async function startPair() {
  const [platform, redis] = await Promise.all([startPlatform(), startRedis()]);
  const files = writeFiles();
  const env = { UPSTREAM_URL: platform.url, REDIS_URL: redis.url, ...files.env };
  const replicas = await startReplicas(2, env);
  const streams = await Promise.all(
    replicas.flatMap(({ url }) => [WEB, MOBILE].map((key) => subscribe(url, LIST, { headers: { 'x-api-key': key } }))),
  );
  await Promise.all(streams.map((stream) => stream.next()));
  const [ofWeb, ofMobile] = [0, 1].map((at) => streams.filter((_stream, index) => index % 2 === at));
  return { ...files, replicas, ofWeb: ofWeb ?? [], ofMobile: ofMobile ?? [] };
}

describe('a key that is taken out of the file of two replicas', () => {
  it.each([
    ['after SIGHUP within a second', 'SIGHUP', 1_000 * BUSY],
    ['without a signal within eleven', undefined, 10_000 + 1_000 * BUSY],
  ] as const)('is refused at both %s, and its streams end, while another file is broken', async (_when, signal, ms) => {
    const { at, replicas, ofWeb, ofMobile } = await startPair();
    rmSync(at('documents'), { recursive: true });

    replaceFile(at('keys'), keyEntries(WEB));
    if (signal) for (const { stop } of replicas) stop(signal);
    const began = performance.now();
    await Promise.all(ofMobile.map(({ ended }) => ended));
    const endedMs = performance.now() - began;

    for (const { url } of replicas) {
      expect(await statusAt(url, MOBILE)).toBe(401);
      expect(await statusAt(url, WEB)).toBe(200);
    }
    expect(endedMs).toBeLessThan(ms);
    expect(await Promise.race([...ofWeb.map(({ ended }) => ended), 'open'])).toBe('open');
  });
});

describe('a process whose input is no terminal', () => {
  it('reads its files again at each SIGHUP, also one that comes while it does', async () => {
    const { at, env } = writeFiles();
    const run = runMain([], { ...env, PORT: '0', SANDBOX_FILE: ':memory:', TYPED_FORMS: 'none' });
    const url = await run.printed(/at (http:\S+)\/graphql/);

    for (const key of ['first', 'second', 'third']) {
      replaceFile(at('keys'), keyEntries(WEB, key));
      for (let times = 0; times < 3; times++) run.stop('SIGHUP');
      await expect.poll(() => statusAt(url, key)).toBe(200);
    }
    run.stop('SIGTERM');

    expect((await run.ended).code).toBe(0);
  });
});
