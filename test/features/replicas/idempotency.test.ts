import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';

import { callerKeys } from '../../identity/support.ts';
import { type Env, type GraphqlAnswer, postGraphql } from '../../support/gateway.ts';
import { startRedis } from '../../support/redis.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';
import { startReplica, startSharer } from './replicas.ts';
import { storeKey } from './support.ts';

const CHANGE = `mutation ($key: ID!, $process: ID = "p", $values: JSONObject) {
  startCase(input: { process: $process, values: $values, idempotencyKey: $key }) { case { caseId } }
}`;

/** Starts a platform that numbers its cases and can hold its responses back. */
async function startCases() {
  let answered = Promise.resolve();
  let refusals = 0;
  let release = () => {};
  const platform = await scriptPlatform(async ({ body }) => {
    const caseId = platform.seen.length;
    await answered;
    if (refusals > 0) return { status: 401, body: { left: --refusals } };
    return { status: 201, body: { idCase: caseId, cdActivity: 1, ...JSON.parse(body) } };
  });
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    answered = promise;
    release = resolve;
    onTestFinished(() => resolve());
  };
  const refuse = () => {
    refusals = 1;
  };
  return { ...platform, refuse, hold, release: () => release() };
}

/** Starts a platform and a Redis. `start` starts a gateway that shares them with others. */
async function prepare(isDurable = false) {
  const [platform, redis] = await Promise.all([startCases(), startRedis({ isDurable })]);
  const shared = { ...platform.env, REDIS_URL: redis.url, SESSION_KEYS: storeKey() };
  const start = async (env: Env = {}) => {
    const { execute } = await startSharer({ ...shared, ...env });
    const writeOnce = (key: string, process?: string) => execute(CHANGE, { key, process });
    /**
     * Writes with a key, and repeats the write as clients do. On a busy machine Redis may reply too
     * late, and the gateway then sends nothing and reports that.
     */
    const write: typeof writeOnce = async (key, process) => {
      for (;;) {
        const answer = await writeOnce(key, process);
        if (codeOf(answer) !== 'IDEMPOTENCY_UNAVAILABLE') return answer;
        await sleep(100);
      }
    };
    return { execute, write, writeOnce };
  };
  return { platform, redis, shared, start };
}

async function startTwo(isDurable = false) {
  const { platform, redis, start } = await prepare(isDurable);
  const [a, b] = await Promise.all([start(), start()]);
  return { platform, redis, a, b };
}

const codeOf = ({ errors }: GraphqlAnswer) => errors?.[0]?.extensions['code'];

describe('the same keyed write sent to two replicas', () => {
  it('runs once at the same time: the second waits for the outcome of the first', async () => {
    const { platform, a, b } = await startTwo();
    const keys = Array.from({ length: 30 }, (_, index) => `k${index}`);

    const answers = await Promise.all(keys.map((key) => Promise.all([a.write(key), b.write(key)])));

    expect(answers.filter(([one, two]) => JSON.stringify(one) !== JSON.stringify(two))).toEqual([]);
    expect(answers.flatMap(([one]) => one.errors ?? [])).toEqual([]);
    expect(platform.seen).toHaveLength(30);
  });

  it('runs once where the platform refuses the token of the first at first', async () => {
    const { platform, a, b } = await startTwo();
    platform.refuse();

    const answers = await Promise.all([a.write('k'), b.write('k')]);

    expect(answers).toEqual(
      Array(2).fill({ status: 200, data: { startCase: { case: { caseId: '2' } } } }),
    );
    expect(platform.seen).toHaveLength(2);
  });

  it('is answered without a call when the platform has gone meanwhile', async () => {
    const { platform, a, b } = await startTwo();
    const first = await a.write('k');
    platform.close();

    expect(await b.write('k')).toEqual(first);
  });

  it('is BAD_USER_INPUT with another input, also while the first runs', async () => {
    const { platform, a, b } = await startTwo();
    platform.hold();
    const first = a.write('k');
    await expect.poll(() => platform.seen).toHaveLength(1);
    const during = await b.write('k', 'other');
    platform.release();
    await first;

    const after = await b.write('k', 'other');

    expect([codeOf(during), codeOf(after)]).toEqual(['BAD_USER_INPUT', 'BAD_USER_INPUT']);
    expect(platform.seen).toHaveLength(1);
  });

  it('is OUTCOME_UNKNOWN while the first takes longer than the second may, and has its outcome afterwards', async () => {
    const { platform, start } = await prepare();
    const [a, b] = [await start(), await start({ UPSTREAM_TIMEOUT_MS: '500' })];
    platform.hold();
    const first = a.write('k');
    await expect.poll(() => platform.seen).toHaveLength(1);

    const second = await b.write('k');

    expect(second.errors).toMatchObject([
      { extensions: { code: 'OUTCOME_UNKNOWN', retryable: false } },
    ]);
    platform.release();
    const answer = await first;
    expect(await b.write('k')).toEqual(answer);
    expect(platform.seen).toHaveLength(1);
  });

  it('is OUTCOME_UNKNOWN from the first repeat on after the replica that sent it is killed', async () => {
    const { platform, redis, shared, start } = await prepare(true);
    // The claim of the first lasts longer than the second waits.
    const a = await startReplica({ ...shared, UPSTREAM_TIMEOUT_MS: '30000' });
    const b = await start({ UPSTREAM_TIMEOUT_MS: '500' });
    platform.hold();
    const lost = a.execute(CHANGE, { key: 'k' }).catch(() => 'gone');
    await expect.poll(() => platform.seen).toHaveLength(1);
    a.stop('SIGKILL');
    platform.release();

    expect(codeOf(await b.write('k'))).toBe('OUTCOME_UNKNOWN');
    expect(codeOf(await b.write('k'))).toBe('OUTCOME_UNKNOWN');
    expect(await lost).toBe('gone');
    expect(platform.seen).toHaveLength(1);
    expect((await redis.dump()).join()).toContain(':change:');
  });
});

describe('a write while Redis is unavailable', () => {
  it('is IDEMPOTENCY_UNAVAILABLE and not sent with a key, and goes on without one', async () => {
    const { platform, redis, a } = await startTwo();
    await redis.kill();

    const keyed = await a.writeOnce('k');
    const plain = await a.execute(
      'mutation { startCase(input: { process: "p" }) { case { caseId } } }',
    );

    expect(keyed.errors).toMatchObject([
      { extensions: { code: 'IDEMPOTENCY_UNAVAILABLE', retryable: true } },
    ]);
    expect(plain.errors).toBeUndefined();
    expect(platform.seen).toHaveLength(1);
    await redis.restart();
    expect((await a.write('k')).errors).toBeUndefined();
    expect(platform.seen).toHaveLength(2);
  });

  it('is IDEMPOTENCY_UNAVAILABLE after a second where Redis does not answer', async () => {
    const { platform, redis, a } = await startTwo();
    redis.pause();

    const { errors } = await a.writeOnce('k');
    redis.resume();

    expect(errors).toMatchObject([{ extensions: { code: 'IDEMPOTENCY_UNAVAILABLE' } }]);
    expect(platform.seen).toHaveLength(0);
    // The pause of other commands does not hold it up.
    expect((await a.write('k')).errors).toBeUndefined();
  });

  it.each([true, false])(
    'leaves its outcome when Redis is back, with its data: %s',
    async (isDurable) => {
      const { platform, redis, a, b } = await startTwo(isDurable);
      platform.hold();
      const first = a.write('k');
      await expect.poll(() => platform.seen).toHaveLength(1);
      await redis.kill();
      platform.release();
      const answer = await first;
      await redis.restart();
      await expect.poll(async () => (await redis.dump()).join()).toContain(':change:');

      await expect.poll(() => b.write('k')).toEqual(answer);
      expect(answer.errors).toBeUndefined();
      expect(platform.seen).toHaveLength(1);
    },
  );
});

it('keyed writes that fill Redis are refused to a caller who uses half of it until some expire, and sent for others', async () => {
  const platform = await startCases();
  const args = ['--save', '', '--maxmemory', '6mb', '--maxmemory-policy', 'noeviction'];
  const redis = await startRedis({ args });
  const { url } = await startSharer({
    ...platform.env,
    ...callerKeys('ann', 'bob'),
    REDIS_URL: redis.url,
    SESSION_KEYS: storeKey(),
    UPSTREAM_CALLS_PER_MINUTE: '100000',
  });
  const change = (caller: string, index: number) => {
    const variables = { key: `${caller}-${index}`, values: { text: 'x'.repeat(12_000) } };
    return postGraphql(url, { query: CHANGE, variables }, { 'x-api-key': caller });
  };

  let refused: GraphqlAnswer | undefined;
  for (let index = 0; refused === undefined && index < 600; index++) {
    const answer = await change('ann', index);
    if (answer.errors) refused = answer;
  }
  const sent = platform.seen.length;
  const others = [await change('bob', 0), await change('bob', 1)];
  const repeat = await change('ann', 0);
  for (const held of await redis.client.keys('*:held:*')) {
    await redis.client.del(held);
    // By when it had to be kept, and its bytes.
    await redis.client.hset(held, '1', '9000000');
  }
  const afterwards = await change('ann', 1_000);

  const [{ message = '', extensions = {} } = {}] = refused?.errors ?? [];
  expect(message).toContain('your share');
  expect(extensions).toMatchObject({ code: 'RATE_LIMITED', limitOf: 'caller' });
  // Outcomes are kept for ten minutes, and forgotten by the tenth of that.
  expect(extensions['retryAfterMs']).toBeGreaterThan(0);
  expect(extensions['retryAfterMs']).toBeLessThanOrEqual(660_000);
  expect([...others, afterwards].map(codeOf)).toEqual([undefined, undefined, undefined]);
  expect(repeat.data).toEqual({ startCase: { case: { caseId: '1' } } });
  expect(platform.seen).toHaveLength(sent + 3);
});

describe('a keyed write while SESSION_KEYS are replaced', () => {
  const [old, next] = [storeKey(), storeKey()];

  it('is unknown to a replica without the new key, and is not sent again', async () => {
    const { platform, start } = await prepare();
    const [a, b] = [
      await start({ SESSION_KEYS: `${next},${old}` }),
      await start({ SESSION_KEYS: old }),
    ];

    expect(codeOf(await a.write('k'))).toBeUndefined();
    expect(codeOf(await b.write('k'))).toBe('OUTCOME_UNKNOWN');
    expect(platform.seen).toHaveLength(1);
  });

  it.each([
    [`${old},${next}`, old],
    [`${old},${next}`, `${next},${old}`],
    [next, `${next},${old}`],
  ])('has its outcome on both replicas at each step of the rotation', async (keysOfA, keysOfB) => {
    const { platform, start } = await prepare();
    const [a, b] = [await start({ SESSION_KEYS: keysOfA }), await start({ SESSION_KEYS: keysOfB })];

    const first = await a.write('k');
    expect(await b.write('k')).toEqual(first);
    const second = await b.write('l');
    expect(await a.write('l')).toEqual(second);
    expect(platform.seen).toHaveLength(2);
  });
});
