import { expect, it } from 'vitest';

import { startRedis } from '../../../support/redis.ts';
import { storeKey } from '../../replicas/support.ts';
import { startLedger } from '../support.ts';

/** A ledger whose gateways share a Redis. */
async function startShared() {
  const redis = await startRedis();
  const env = { REDIS_URL: redis.url, SESSION_KEYS: storeKey() };
  return { redis, ...(await startLedger(env)) };
}

it.each(['CONTINUE', 'STOP'])(
  'two replicas that get a call at the same time share its items (%s)',
  async (onError) => {
    const { create, startReplica, made } = await startShared();
    const other = await startReplica();

    const answers = await Promise.all(
      [create, other.create].map((send) => send(20, { idempotencyKey: 'imported twice', onError })),
    );

    expect(answers.map(({ outcome }) => outcome)).toEqual(Array(2).fill('20 done'));
    expect([...made.values()]).toEqual(Array(20).fill(1));
  },
);

it('looks all items up at once, and claims each when it is sent, so that few are unknown if the gateway dies', async () => {
  const { redis, create, state } = await startShared();
  const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
  state.answer = () => held;

  const answer = create(100, { idempotencyKey: 'k' });
  await expect.poll(() => state.sent).toBe(4);
  const [, lookUps] = /cmdstat_get:calls=(\d+)/.exec(await redis.client.info('commandstats')) ?? [];
  const claims = await redis.client.keys('*change*');
  release(undefined);

  expect(Number(lookUps)).toBeGreaterThanOrEqual(100);
  expect(claims).toHaveLength(4);
  expect((await answer).outcome).toBe('100 done');
});

it('sends nothing where keys cannot be looked up, and all of it with the same key once they can', async () => {
  const { redis, create, state } = await startShared();
  await redis.kill();

  const first = await create(20, { idempotencyKey: 'k' });
  await redis.restart();
  await expect
    .poll(async () => (await create(20, { idempotencyKey: 'k' })).outcome)
    .toBe('20 done');

  expect(first.outcome).toBe('20 notSent');
  expect(first.results[0]?.error).toMatchObject({
    code: 'IDEMPOTENCY_UNAVAILABLE',
    retryable: true,
    retryAfterMs: 1_000,
  });
  expect(state.sent).toBe(20);
});

it('does not know what became of items that another replica has sent without an answer, until there is one', async () => {
  const { create, startReplica, state, made } = await startShared();
  const other = await startReplica({ UPSTREAM_TIMEOUT_MS: '500' });
  const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
  state.answer = (row) => (row < 2 ? held : undefined);

  const first = create(4, { idempotencyKey: 'k' });
  await expect.poll(() => [state.sent, made.size]).toEqual([4, 2]);
  const during = await other.create(4, { idempotencyKey: 'k' });
  release(undefined);
  await first;
  const after = await other.create(4, { idempotencyKey: 'k' });

  expect(during.results.map(({ status, error }) => [status, error?.code])).toEqual([
    ['UNKNOWN', 'OUTCOME_UNKNOWN'],
    ['UNKNOWN', 'OUTCOME_UNKNOWN'],
    ['DONE', undefined],
    ['DONE', undefined],
  ]);
  expect([after.outcome, state.sent]).toEqual(['4 done', 4]);
});

it('a bulk write publishes one change to other replicas', async () => {
  const { redis, create } = await startShared();
  const messages = await redis.listenToAll();

  const { outcome } = await create(100);
  await create(1);

  expect(outcome).toBe('100 done');
  const changes = () => messages.filter((message) => message.includes(':changes'));
  await expect.poll(() => changes().length).toBeGreaterThanOrEqual(2);
  expect(changes()).toHaveLength(2);
});
