import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';

import type { Windows } from '../../../src/store/depot.ts';
import type { Kept } from '../../../src/store/entry.ts';
import type { Version } from '../../../src/store/held.ts';
import { createEntries } from '../../../src/store/replicas/entries.ts';
import { createNames } from '../../../src/store/replicas/names.ts';
import { createSeal } from '../../../src/store/replicas/seal.ts';
import { createTouches } from '../../../src/store/replicas/touches.ts';
import { scopeKey } from '../../../src/store/scopes.ts';
import { want } from '../../../src/store/wanted.ts';
import { eventually } from '../../replicas/support.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { openLink } from './support.ts';

const names = createNames('https://platform.example');
const seal = createSeal([randomBytes(32)]);
const WINDOWS: Windows = { definitions: 60_000, instances: 30_000, lists: 0, staleIfFailed: 0 };
const [ANN, BOB] = [scopeKey('user', 'ann'), scopeKey('user', 'bob')];
const FORM = want.form('thing');
const INSTANCE = want.instance({ formId: 'thing', instanceId: '5' });

const kept = (more: Partial<Kept> = {}): Kept => ({
  record: { name: 'Canary' },
  version: 'v1' as Version,
  validator: 'Thu, 01 Jan 2026 00:00:00 GMT',
  bytes: 100,
  trueAtMs: 1_000_000,
  ...more,
});

/** One replica's part of the shared memory, by a clock of its own that stands. */
async function openEntries({ url }: TestRedis, replica: string, { nowMs = 1_000_000, windows = WINDOWS } = {}) {
  const opened = await openLink(url, {
    prepare(link) {
      const touches = createTouches({ link, names, seal, replica, timeoutMs: 20_000 });
      return { touches, entries: createEntries({ link, names, seal, touches, windows, now: () => nowMs }) };
    },
  });
  const { touches, entries } = opened.prepared;
  await eventually(() => expect(touches.position()).toBeDefined());
  return { link: opened.link, touches, ...entries };
}

const namesIn = async ({ client }: TestRedis) => (await client.keys('*:entry:*')).sort();
const stored = (redis: TestRedis, count: number) =>
  eventually(async () => expect(await namesIn(redis)).toHaveLength(count));

describe('the memory that replicas share', () => {
  it('gives one replica what another one read, as old as it is', async () => {
    const redis = await startRedis();
    const a = await openEntries(redis, 'a');
    const b = await openEntries(redis, 'b', { nowMs: 5_000_000 });

    a.set(ANN, FORM, kept({ trueAtMs: 990_000 }));
    await stored(redis, 1);
    const { trueAtMs, ...got } = (await b.get(ANN, FORM)) ?? kept({ version: 'none' as Version });

    const { trueAtMs: _, ...put } = kept();
    expect(got).toEqual(put);
    expect(trueAtMs).toBeLessThanOrEqual(4_990_000);
    expect(trueAtMs).toBeGreaterThan(4_900_000);
  });

  it('gives nobody what another caller was told', async () => {
    const redis = await startRedis();
    const a = await openEntries(redis, 'a');
    a.set(ANN, FORM, kept());
    await stored(redis, 1);

    expect([await a.get(BOB, FORM), await a.get('everybody', FORM)]).toEqual([undefined, undefined]);
  });

  it('gives nothing that was touched since, by whichever replica', async () => {
    const redis = await startRedis();
    const [a, b] = [await openEntries(redis, 'a'), await openEntries(redis, 'b')];
    a.set(ANN, INSTANCE, kept());
    await stored(redis, 1);
    await b.touches.publish({ formId: 'thing', instanceId: '6' });
    const before = await a.get(ANN, INSTANCE);

    await b.touches.publish({ formId: 'thing', instanceId: '5' });

    expect(before).toBeDefined();
    expect([await a.get(ANN, INSTANCE), await b.get(ANN, INSTANCE)]).toEqual([undefined, undefined]);
  });

  it('gives nothing that was stored by who had not heard of a change yet', async () => {
    const redis = await startRedis();
    const a = await openEntries(redis, 'a');
    const seq = (a.touches.position()?.seq ?? 0) + 1;
    const fields = INSTANCE.areas.flatMap(a.touches.fieldsOf).flatMap((field) => [field, seq]);
    await redis.client.hset(names('touches'), ...fields);

    a.set(ANN, INSTANCE, kept());
    await stored(redis, 1);

    expect(await a.get(ANN, INSTANCE)).toBeUndefined();
  });

  it('gives again what is stored after a change', async () => {
    const redis = await startRedis();
    const a = await openEntries(redis, 'a');
    a.set(ANN, INSTANCE, kept());
    await a.touches.publish('everything');
    a.set(ANN, INSTANCE, kept());

    await eventually(async () => expect(await a.get(ANN, INSTANCE)).toBeDefined());
  });

  it('gives nothing that was stored before Redis forgot what was changed', async () => {
    const redis = await startRedis();
    const a = await openEntries(redis, 'a');
    a.set(ANN, INSTANCE, kept());
    await stored(redis, 1);

    await redis.client.del(names('touches'));

    expect(await a.get(ANN, INSTANCE)).toBeUndefined();
  });

  it('gives nothing once it is dropped', async () => {
    const redis = await startRedis();
    const a = await openEntries(redis, 'a');
    a.set(ANN, FORM, kept());
    await stored(redis, 1);

    a.drop(ANN, FORM);

    await stored(redis, 0);
  });

  it('shows neither what it holds nor whose it is', async () => {
    const redis = await startRedis();
    const a = await openEntries(redis, 'a');
    a.set(ANN, INSTANCE, kept());
    await stored(redis, 1);

    const [name = ''] = await namesIn(redis);
    const value = await redis.client.getBuffer(name);
    expect(name).not.toMatch(/thing|getForm/);
    expect(name).not.toContain(ANN);
    expect(value?.includes('Canary')).toBe(false);
  });

  it('takes garbage, and what was put in the place of something else, for nothing', async () => {
    const redis = await startRedis();
    const a = await openEntries(redis, 'a');
    a.set(ANN, FORM, kept());
    a.set(BOB, FORM, kept({ version: 'v2' as Version }));
    await stored(redis, 2);
    const [one = '', two = ''] = await namesIn(redis);
    await redis.client.copy(one, two, 'REPLACE');
    await redis.client.set(one, 'garbage');

    expect([await a.get(ANN, FORM), await a.get(BOB, FORM)]).toEqual([undefined, undefined]);
  });

  it('keeps what can be asked again conditionally, and nothing that is good for nothing', async () => {
    const redis = await startRedis();
    const none = { definitions: 0, instances: 0, lists: 0, staleIfFailed: 0 };
    const a = await openEntries(redis, 'a', { windows: none });

    a.set(ANN, FORM, kept({ validator: undefined }));
    a.set(ANN, INSTANCE, kept({ bytes: 2_000_000 }));
    a.set(BOB, INSTANCE, kept());
    await stored(redis, 1);

    expect(await a.get(BOB, INSTANCE)).toBeDefined();
  });

  it('stores the same but once', async () => {
    const redis = await startRedis();
    const a = await openEntries(redis, 'a');
    await redis.client.config('RESETSTAT');

    for (let time = 0; time < 5; time++) a.set(ANN, INSTANCE, kept({ trueAtMs: 1_000_000 + time }));
    a.set(ANN, INSTANCE, kept({ version: 'v2' as Version }));
    await eventually(async () => expect((await a.get(ANN, INSTANCE))?.version).toBe('v2'));

    expect(await redis.client.info('commandstats')).toContain('cmdstat_set:calls=2,');
  });

  it('is no hindrance where Redis is away', async () => {
    const redis = await startRedis();
    const a = await openEntries(redis, 'a');
    await redis.kill();
    await eventually(() => expect(a.link.isUp()).toBe(false));

    a.set(ANN, FORM, kept());
    a.drop(ANN, FORM);

    expect(await a.get(ANN, FORM)).toBeUndefined();
  });
});
