import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Failure, type OperationName, startGateway, type TestGateway } from 'caseway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';

import { OPERATIONS } from '../../src/upstream/operations.ts';
import { subscribe } from '../features/live/support.ts';
import { storeKey } from '../features/replicas/support.ts';
import { postGraphql } from '../support/gateway.ts';
import { startRedis } from '../support/redis.ts';
import { COMPILED, runMain } from '../support/run.ts';

const CREATE = `mutation {
  createSupplier(input: { values: { name: "New", country: IT, active: true } }) { instance { id } }
}`;
/** A name that the kit lacks does not compile. */
const NAMES: readonly OperationName[] = [
  'getToken',
  ...(Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[]),
];

/** How often a gateway is replaced without a pause; `KIT_RESETS=50` for the whole proof. */
const RESETS = Number(process.env['KIT_RESETS'] ?? 8);
const SETTINGS = {
  CACHE_INSTANCES_MS: '600000',
  UPSTREAM_CALLS_PER_MINUTE: '40',
  UPSTREAM_TIMEOUT_MS: '1500',
};

// The processes of the kit inherit this environment, so they share the compile cache.
beforeAll(() => void vi.stubEnv('NODE_COMPILE_CACHE', COMPILED.NODE_COMPILE_CACHE));
afterAll(() => void vi.unstubAllEnvs());

const execute = ({ url }: TestGateway, query: string) => postGraphql(url, { query });
const countSuppliers = async (gateway: TestGateway): Promise<number> =>
  (await execute(gateway, '{ suppliers { totalCount } }')).data.suppliers.totalCount;

describe('a gateway of the testing kit', () => {
  let gateway: TestGateway;
  const count = () => countSuppliers(gateway);
  const codeOf = async (query: string) =>
    (await execute(gateway, query)).errors?.[0]?.extensions['code'];
  beforeAll(async () => {
    gateway = await startGateway({ env: SETTINGS });
  });
  afterEach(() => gateway.reset());
  afterAll(() => gateway?.close());

  it('serves the samples at an address that stays, and counts calls since the last reset', async () => {
    expect(await count()).toBe(12);
    expect(await gateway.calls()).toMatchObject([
      { operation: 'getFormIntances', method: 'GET', status: 200, user: 'demo' },
    ]);
    await gateway.reset();
    expect(await gateway.calls()).toEqual([]);
    expect(await count()).toBe(12);
  });

  it('forgets writes, copies, limits and failures with a reset', async () => {
    await execute(gateway, CREATE);
    expect(await count()).toBe(13);
    await gateway.fail('getFormIntances', { with: 429 });
    expect(await codeOf('{ employees { totalCount } }')).toBe('RATE_LIMITED');
    const before = await gateway.calls();

    await gateway.reset();

    expect(before.map(({ operation }) => operation)).toContain('createFormIntance');
    expect(await count()).toBe(12);
    expect(await gateway.calls()).toHaveLength(1);
  });

  it(`replaces the gateway ${RESETS} times without a request that fails`, async () => {
    for (let resets = 0; resets < RESETS; resets++) {
      await gateway.reset();
      expect(await count()).toBe(12);
    }
  });

  it('fails the requested number of times, and lists the change with an unknown outcome', async () => {
    await gateway.fail('createFormIntance', { with: 'lost', times: 1 });

    expect(await codeOf(CREATE)).toBe('OUTCOME_UNKNOWN');
    expect(await codeOf(CREATE)).toBeUndefined();
    expect(await count()).toBe(14);
  });

  it('delays answers', async () => {
    await gateway.fail('createFormIntance', { with: 'slow' });

    expect(await codeOf(CREATE)).toBe('OUTCOME_UNKNOWN');
  });

  it('knows all operations of the platform, and no other', async () => {
    await Promise.all(NAMES.map((name) => gateway.fail(name, { with: 503, times: 1 })));
    const error = await gateway
      .fail('getFormInstances' as OperationName, { with: 503 })
      .catch((reason) => reason);

    const [, listed] = /Operations: (.*)\.$/.exec(error.message) ?? [];
    expect(listed?.split(', ').toSorted()).toEqual(NAMES.toSorted());
  });

  it.each([
    ['an unknown way', { with: 500 }, 'expected one of 429|503|"lost"|"slow"'],
    ['no call at all', { with: 503, times: 0 }, 'at times'],
    ['a misspelled member', { with: 503, time: 1 }, '"time"'],
  ])('refuses to fail in %s with a reason', async (_what, failure, reason) => {
    await expect(gateway.fail('getForm', failure as Failure)).rejects.toThrow(reason);
  });

  it('ends an open stream with a reset, and lets its client come back', async () => {
    const stream = await subscribe(gateway.url, 'subscription { suppliers { totalCount } }');
    const first = await stream.next();

    await gateway.reset();

    await stream.ended.catch(() => undefined);
    const again = await subscribe(gateway.url, 'subscription { suppliers { totalCount } }');
    expect(await again.next()).toEqual(first);
    again.close();
  });
});

it('a gateway of the testing kit forgets its state in Redis with a reset, and refuses calls after its end', async () => {
  const { url: REDIS_URL } = await startRedis();
  const gateway = await startGateway({ env: { REDIS_URL, SESSION_KEYS: storeKey() } });
  onTestFinished(gateway.close);
  const keyed = CREATE.replace('values:', 'idempotencyKey: "one", values:');
  const createTwice = async () => {
    await execute(gateway, keyed);
    await execute(gateway, keyed);
    return countSuppliers(gateway);
  };
  expect(await createTwice()).toBe(13);

  await gateway.reset();

  expect(await countSuppliers(gateway)).toBe(12);
  expect(await createTwice()).toBe(13);
  await gateway.close();
  await expect(gateway.reset()).rejects.toThrow('The gateway has ended.');
});

describe('a gateway of the testing kit does not start', () => {
  it.each<[what: string, options: object, named: readonly string[]]>([
    [
      'records that do not fit',
      { records: { suplier: [], supplier: [{ idInstance: 1, name: 'A', country: 'XX' }] } },
      ['"suplier" is not defined', 'records.supplier.0.country'],
    ],
    [
      'settings that do not fit',
      { env: { COST_MAX_CALLS: 'many', CACHE_INSTANCE_MS: '1' } },
      ['COST_MAX_CALLS', 'unknown setting CACHE_INSTANCE_MS'],
    ],
    [
      'options that it does not know, and settings that it has itself',
      { record: {}, env: { UPSTREAM_URL: 'http://127.0.0.1:9' } },
      ['"record"', 'may not set HOST'],
    ],
    ['production', { env: { NODE_ENV: 'production' } }, ['production']],
  ])('with %s, and names each', async (_what, options, named) => {
    const started = startGateway(options);

    for (const name of named) await expect(started).rejects.toThrow(name);
  });

  it('from a shell', async () => {
    const { code, stderr } = await runMain(['testing']).ended;

    expect(code).toBe(2);
    expect(stderr).toContain('caseway/testing');
  });
});

it('a gateway ends when the process that started it is killed', async () => {
  const script = `
    import { startGateway } from ${JSON.stringify(join(import.meta.dirname, '../../testing/index.ts'))};
    const { url, reset } = await startGateway();
    // Two tests at once use a gateway each, and no gateway is left running.
    await Promise.all([reset(), reset()]);
    console.log(url);
  `;
  const runner = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void runner.kill('SIGKILL'));
  const [url] = await once(createInterface(runner.stdout), 'line');
  const children = execFileSync('ps', ['--ppid', String(runner.pid), '--no-headers', '-o', 'pid']);
  const pid = Number(String(children));

  runner.kill('SIGKILL');

  await expect.poll(() => isAlive(pid)).toBe(false);
  await expect(fetch(url)).rejects.toThrow();
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
