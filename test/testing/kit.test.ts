import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { type Failure, type OperationName, type StartOptions, startGateway, type TestGateway } from 'caseway/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { OPERATIONS } from '../../src/upstream/operations.ts';
import { storeKey } from '../features/replicas/support.ts';
import { postGraphql } from '../support/gateway.ts';
import { startRedis } from '../support/redis.ts';
import { runMain } from '../support/run.ts';

const SUPPLIERS = '{"query":"{ suppliers { totalCount } }"}';
const CREATE = JSON.stringify({
  query:
    'mutation { createSupplier(input: { values: { name: "New", country: IT, active: true } }) { instance { id } } }',
});
/** A name that the kit lacks does not compile. */
const NAMES: readonly OperationName[] = ['getToken', ...(Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[])];

async function start(options?: StartOptions) {
  const gateway = await startGateway(options);
  onTestFinished(gateway.close);
  const count = async () => (await postGraphql(gateway.url, SUPPLIERS)).data.suppliers.totalCount;
  const codeOf = async (body: string) => (await postGraphql(gateway.url, body)).errors?.[0]?.extensions?.['code'];
  return { ...gateway, count, codeOf };
}

let shared: TestGateway;
beforeAll(async () => {
  shared = await startGateway();
});
afterAll(() => shared.close());

const messageOf = (options: StartOptions): Promise<string> =>
  startGateway(options).then(
    () => 'it started',
    ({ message }) => message,
  );

describe('a gateway of the testing kit', () => {
  it('serves the samples at an address that stays, and counts calls since the last reset', async () => {
    const { url, count, calls, reset } = await start();

    expect(await count()).toBe(12);
    expect(await calls()).toMatchObject([{ operation: 'getFormIntances', method: 'GET', status: 200, user: 'demo' }]);
    await reset();
    expect(await calls()).toEqual([]);
    expect((await postGraphql(url, SUPPLIERS)).data.suppliers.totalCount).toBe(12);
  });

  it('forgets with a reset what was written, copied, limited and set to fail', async () => {
    const { count, codeOf, calls, reset, fail, url } = await start({
      env: { CACHE_INSTANCES_MS: '600000', UPSTREAM_CALLS_PER_MINUTE: '40' },
    });
    await postGraphql(url, CREATE);
    expect(await count()).toBe(13);
    await fail('getFormIntances', { with: 429 });
    expect(await codeOf('{"query":"{ employees { totalCount } }"}')).toBe('RATE_LIMITED');
    const before = await calls();

    await reset();

    expect(before.map(({ operation }) => operation)).toContain('createFormIntance');
    expect(await count()).toBe(12);
    expect(await calls()).toHaveLength(1);
  });

  it('forgets with a reset what it shares through Redis', async () => {
    const { url: REDIS_URL } = await startRedis();
    const { url, count, reset } = await start({ env: { REDIS_URL, SESSION_KEYS: storeKey() } });
    const keyed = CREATE.replace('values:', 'idempotencyKey: \\"one\\", values:');
    await postGraphql(url, keyed);
    await postGraphql(url, keyed);
    expect(await count()).toBe(13);

    await reset();

    expect(await count()).toBe(12);
    await postGraphql(url, keyed);
    expect(await count()).toBe(13);
  });

  it('replaces the gateway fifty times without a request that fails', async () => {
    const { count, reset } = await start();

    for (let round = 0; round < 50; round++) {
      await reset();
      expect(await count()).toBe(12);
    }
  });

  it('fails as often as it is told, and tells which change has an unknown outcome', async () => {
    const { codeOf, count, fail } = await start();
    await fail('createFormIntance', { with: 'lost', times: 1 });

    expect(await codeOf(CREATE)).toBe('OUTCOME_UNKNOWN');
    expect(await codeOf(CREATE)).toBeUndefined();
    expect(await count()).toBe(14);
  });

  it('delays answers', async () => {
    const { codeOf, count, fail, reset } = await start({ env: { UPSTREAM_TIMEOUT_MS: '1000' } });
    await fail('createFormIntance', { with: 'slow' });

    expect(await codeOf(CREATE)).toBe('OUTCOME_UNKNOWN');
    await reset();
    expect(await count()).toBe(12);
  });

  it('knows all operations of the platform, and no other', async () => {
    const { fail } = shared;

    await Promise.all(NAMES.map((name) => fail(name, { with: 503, times: 1 })));
    const error = await fail('getFormInstances' as OperationName, { with: 503 }).catch((reason) => reason);

    const [, listed] = /Operations: (.*)\.$/.exec(error.message) ?? [];
    expect(listed?.split(', ').toSorted()).toEqual(NAMES.toSorted());
  });

  it.each([
    ['an unknown way', { with: 500 }, 'expected one of 429|503|"lost"|"slow"'],
    ['no way', undefined, 'at with'],
    ['no call at all', { with: 503, times: 0 }, 'at times'],
    ['a misspelled member', { with: 503, time: 1 }, '"time"'],
  ])('refuses to fail in %s, and says why', async (_what, failure, reason) => {
    await expect(shared.fail('getForm', failure as Failure)).rejects.toThrow(reason);
  });

  it('ends an open stream with a reset, and lets its client come back', async () => {
    const { url, reset } = await start();
    const subscribe = async () => {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
        body: '{"query":"subscription { suppliers { totalCount } }"}',
      });
      return response.body?.pipeThrough(new TextDecoderStream()).getReader();
    };
    const reader = await subscribe();
    expect((await reader?.read())?.value).toContain('event: next');

    const ended = (async () => {
      for (;;) {
        const result = await reader?.read();
        if (result === undefined || result.done) return true;
      }
    })().catch(() => true);
    await reset();

    expect(await ended).toBe(true);
    const again = await subscribe();
    expect((await again?.read())?.value).toContain('event: next');
    await again?.cancel();
  });

  it('refuses a request that comes after its end, with what it printed', async () => {
    const gateway = await startGateway();
    await gateway.close();

    await expect(gateway.reset()).rejects.toThrow('The gateway has ended.');
  });
});

describe('a gateway of the testing kit does not start', () => {
  it('with records that do not fit, and names each', async () => {
    const unknown = await messageOf({ records: { suplier: [] } });
    const wrong = await messageOf({
      records: { supplier: [{ idInstance: 1, name: 'A', country: 'XX', active: true }] },
    });

    expect(unknown).toContain('"suplier" is not defined');
    expect(wrong).toContain('records.supplier.0.country');
  });

  it('with settings that do not fit, and names those that are none', async () => {
    const message = await messageOf({ env: { COST_MAX_CALLS: 'many', CACHE_INSTANCE_MS: '1' } });

    expect(message).toContain('COST_MAX_CALLS');
    expect(message).toContain('unknown setting CACHE_INSTANCE_MS');
  });

  it('with options and settings that it does not know or has itself, and names them', async () => {
    expect(await messageOf({ record: {} } as StartOptions)).toContain('"record"');
    expect(await messageOf({ env: { CALER_AUTH: 'none' } })).toContain('unknown setting CALER_AUTH');
    expect(await messageOf({ env: { UPSTREAM_URL: 'http://127.0.0.1:9' } })).toContain('may not set HOST');
  });

  it('in production', async () => {
    expect(await messageOf({ env: { NODE_ENV: 'production' } })).toContain('production');
  });

  it('from a shell', async () => {
    const { code, stderr } = await runMain(['testing']).ended;

    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('caseway/testing') });
  });
});

it('a gateway ends when the process that started it is killed', async () => {
  const script = `
    import { startGateway } from ${JSON.stringify(join(import.meta.dirname, '../../testing/index.ts'))};
    const { url, reset } = await startGateway();
    // Two at once take a gateway each, and none is left over.
    await Promise.all([reset(), reset()]);
    console.log(url);
  `;
  const runner = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void runner.kill('SIGKILL'));
  const url = await firstLine(runner);
  const children = promisify(execFile)('ps', ['--ppid', String(runner.pid), '--no-headers', '-o', 'pid']);
  const pid = Number((await children).stdout);

  runner.kill('SIGKILL');

  await expect.poll(() => isAlive(pid)).toBe(false);
  await expect(fetch(url)).rejects.toThrow();
});

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('It has no output.');
  const [line] = await once(createInterface(stdout), 'line');
  return line;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
