import { describe, expect, it } from 'vitest';

import { startRedis } from '../../support/redis.ts';
import { type Sharer, startPlatform, startSharers } from './replicas.ts';

const READ = 'query ($id: ID!) { instance(formId: "expense", instanceId: $id) { instanceId } }';
const CHANGE =
  'mutation { createInstance(input: { formId: "supplier", values: { name: "New", country: "PT", active: true } }) { instance { id } } }';

/** Reads this number of different instances and returns the extensions of the errors. */
async function read({ execute }: Pick<Sharer, 'execute'>, count: number) {
  const ids = Array.from({ length: count }, (_, index) => String(index + 1));
  const answers: Awaited<ReturnType<Sharer['execute']>>[] = [];
  // No more at a time than a gateway takes of one caller.
  for (let first = 0; first < count; first += 50) {
    const some = ids.slice(first, first + 50);
    answers.push(...(await Promise.all(some.map((id) => execute(READ, { id })))));
  }
  return answers.flatMap(({ errors }) => errors?.map(({ extensions }) => extensions) ?? []);
}

describe('UPSTREAM_CALLS_PER_MINUTE', () => {
  it('is one budget for two gateways that share Redis, under ten times the load', async () => {
    const [platform, redis] = await Promise.all([startPlatform(), startRedis()]);
    const env = {
      UPSTREAM_URL: platform.url,
      REDIS_URL: redis.url,
      UPSTREAM_CALLS_PER_MINUTE: '120',
    };
    const [a, b = a] = await startSharers(2, env);

    const refused = (await Promise.all([read(a, 200), read(b, 200)])).flat();

    expect(platform.calls.length).toBeLessThanOrEqual((7 / 6) * 120);
    expect(refused).toHaveLength(400 - platform.calls.filter((call) => call !== 'getToken').length);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['RATE_LIMITED']));
  });

  it('reserves calls for writes when reads are used up, on every replica', async () => {
    const [platform, redis] = await Promise.all([startPlatform(), startRedis()]);
    const env = {
      UPSTREAM_URL: platform.url,
      REDIS_URL: redis.url,
      UPSTREAM_CALLS_PER_MINUTE: '240',
    };
    const [a, b = a] = await startSharers(2, env);
    await Promise.all([read(a, 30), read(b, 30)]);

    const [one, two] = await Promise.all([a.execute(CHANGE), b.execute(CHANGE)]);

    expect([one.errors, two.errors]).toEqual([undefined, undefined]);
  });
});
