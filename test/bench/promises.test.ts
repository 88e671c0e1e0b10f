import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateKeyPair, SignJWT } from 'jose';
import { expect, it, vi } from 'vitest';

import { median } from '../../bench/benchmark.ts';
import { createConnectionPool, type RequestEnd } from '../../bench/load/http-client.ts';
import {
  createRequestWriter,
  graphqlRequest,
  type RequestTemplate,
} from '../../bench/load/requests.ts';
import { WORKLOADS } from '../../bench/speed/workloads.ts';
import { freePort, NODE_OPTIONS, withTestBed } from '../../bench/test-bed.ts';
import { keySetUrl } from '../support/key-set.ts';

/**
 * How many promises a response takes at most, by workload: a count shows layers, and is the same on
 * every machine.
 */
const AT_MOST: Readonly<Record<string, number>> = { W1: 100, W2: 36, W3: 8, W4: 40 };

it('the number of promises for each response is within the bounds of its workload', async () => {
  const counts = await withTestBed(async ({ folder, platform, startGateway }) => {
    platform.behave({ delayMs: 0 });
    const { port, pid } = await startGateway(await countingEnvironment(folder));
    const promises: Record<string, number> = {};
    for (const [index, { name, requests }] of WORKLOADS.entries()) {
      if (!(name in AT_MOST)) continue;
      const write = createRequestWriter(requests.typed, 'count', index * 1_000);
      const counts = await countEach({ port, pid, folder }, write, 30, 20);
      promises[name] = counts.promises;
    }
    return promises;
  });

  const exceeded = Object.entries(AT_MOST).filter(
    ([name, atMost]) => (counts[name] ?? Infinity) > atMost,
  );
  expect(exceeded, JSON.stringify(counts)).toEqual([]);
});

/** Its resolver copies its context, as those do that pass it on. */
const OWN_FIELD = `export default {
  typeDefs: 'extend type Query { own: String }',
  resolvers: { Query: { own: { calls: 1, async batch(sources, _args, context) {
    const { caller, query, fetch } = { ...context };
    return sources.map(() => [caller?.name, typeof query, typeof fetch].join());
  } } } },
};`;

interface Setup {
  readonly env?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

async function setUpExtension(folder: string): Promise<Setup> {
  const file = join(folder, 'own.js');
  writeFileSync(file, OWN_FIELD);
  return { env: { EXTENSIONS: file } };
}

async function setUpTokens(): Promise<Setup> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const claims = new SignJWT()
    .setProtectedHeader({ alg: 'ES256' })
    .setSubject('ann')
    .setExpirationTime('1h');
  return {
    env: { CALLER_AUTH: 'jwt', CALLER_JWKS_URL: await keySetUrl(publicKey) },
    headers: { authorization: `Bearer ${await claims.sign(privateKey)}` },
  };
}

it.each([
  ['a constant', '{ __typename }', async (): Promise<Setup> => ({})],
  ['a constant, for a caller with a token', '{ __typename }', setUpTokens],
  ['a field of an extension', '{ own }', setUpExtension],
])(
  'a response without cached parts leaves nothing in old space: %s',
  async (_about, query, setUp) => {
    const bytes = await withTestBed(async ({ folder, startGateway }) => {
      const { env, headers } = await setUp(folder);
      const { port, pid } = await startGateway({ ...(await countingEnvironment(folder)), ...env });
      const request = graphqlRequest(query, '{}', headers);
      return countPromoted({ port, pid, folder }, request);
    });

    // Some 600 to 800 bytes belong to responses in flight when the young space is collected, and to code that V8 compiles late. Requests that are kept would add a thousand.
    expect(bytes).toBeLessThan(1_200);
  },
);

/** Returns the environment in which the gateway counts, with metrics on as in production. */
const countingEnvironment = async (folder: string) => ({
  METRICS_PORT: String(await freePort()),
  NODE_OPTIONS: `${NODE_OPTIONS} --import=${join(import.meta.dirname, 'count-promises.ts')}`,
  COUNT_FOLDER: folder,
});

interface CountingServer {
  readonly port: number;
  readonly pid: number;
  /** The `COUNT_FOLDER` of the server. */
  readonly folder: string;
}

/**
 * Counts the bytes of one response that the garbage collector promotes to old space. Temporary
 * objects should not be promoted: each such byte is copied twice and waits for a full collection.
 * The median leaves out the effect of a full collection.
 */
async function countPromoted(server: CountingServer, request: RequestTemplate): Promise<number> {
  const bytes: number[] = [];
  for (const warmUp of [1_500, 0, 0, 0, 0]) {
    const write = createRequestWriter(request, 'count', 0);
    bytes.push((await countEach(server, write, warmUp, 600)).oldBytes);
  }
  return median(bytes);
}

/** Counts for one response, from requests one after the other. */
async function countEach(
  { port, pid, folder }: CountingServer,
  write: ReturnType<typeof createRequestWriter>,
  warmUp: number,
  counted: number,
) {
  const pool = createConnectionPool(port, 1);
  await pool.fill();
  const connection = pool.acquire();
  const send = async (requests: number) => {
    for (let sent = 0; sent < requests; sent++) {
      const end = await new Promise<RequestEnd>((resolve) =>
        connection?.send(write().text, resolve),
      );
      if (typeof end === 'string' || end.status !== 200) throw new Error(JSON.stringify(end));
    }
  };

  await send(warmUp);
  const before = await readCounts(pid, folder);
  await send(counted);
  const after = await readCounts(pid, folder);
  pool.closeAll();
  return {
    promises: (after.promises - before.promises) / counted,
    oldBytes: (after.oldBytes - before.oldBytes) / counted,
  };
}

/** Reads the counters of a process. */
async function readCounts(pid: number, folder: string) {
  const file = join(folder, `${pid}.count`);
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  await vi.waitUntil(() => existsSync(file), { interval: 5, timeout: 90_000 });
  const counts: { readonly promises: number; readonly oldBytes: number } = JSON.parse(
    readFileSync(file, 'utf8'),
  );
  return counts;
}
