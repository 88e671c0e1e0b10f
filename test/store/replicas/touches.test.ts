import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';

import { createNames } from '../../../src/store/replicas/names.ts';
import { createSeal } from '../../../src/store/replicas/seal.ts';
import { createTouches } from '../../../src/store/replicas/touches.ts';
import type { Touched } from '../../../src/store/touched.ts';
import { eventually } from '../../replicas/support.ts';
import { startRedis } from '../../support/redis.ts';
import { openLink } from './support.ts';

const names = createNames('https://platform.example');
const key = randomBytes(32);
const CHANGE: Touched = { formId: 'thing', instanceId: '5' };

/** One replica that tells and hears of changes; `heard` is empty once it listens. */
async function openTouches(url: string, replica: string, { keys = [key], timeoutMs = 20_000 } = {}) {
  const heard: Touched[] = [];
  const seal = createSeal([keys[0] ?? key, ...keys.slice(1)]);
  const opened = await openLink(url, {
    prepare: (link) => createTouches({ link, names, seal, replica, timeoutMs }),
  });
  const touches = opened.prepared;
  touches.subscribe((touched) => void heard.push(touched));
  await eventually(() => expect(touches.position()).toBeDefined());
  return { ...opened, touches, heard, tell: touches.publish };
}

describe('changes', () => {
  it('have been heard by every replica when their writer goes on', async () => {
    const redis = await startRedis();
    const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((name) => openTouches(redis.url, name)));

    await a?.tell(CHANGE);

    expect([a?.heard, b?.heard, c?.heard]).toEqual([[], [CHANGE], [CHANGE]]);
  });

  it('are heard in order by all, whoever tells them', async () => {
    const redis = await startRedis();
    const [a, b] = [await openTouches(redis.url, 'a'), await openTouches(redis.url, 'b')];
    const all = Array.from({ length: 50 }, (_, index) => ({ formId: `form ${index}` }));

    await Promise.all(all.map((touched, index) => (index % 2 ? a : b).tell(touched)));

    expect(b.heard).toEqual(all.filter((_, index) => index % 2));
    expect(a.heard).toEqual(all.filter((_, index) => !(index % 2)));
    expect(a.touches.position()).toEqual(b.touches.position());
  });

  it('keep their writer waiting until the last listener says that it has heard', async () => {
    const redis = await startRedis();
    const a = await openTouches(redis.url, 'a');
    const seen = await redis.listen(names('touched'));
    let isTold = false;
    const told = a.tell(CHANGE).then(() => {
      isTold = true;
    });
    await eventually(() => expect(seen).toHaveLength(1));
    await a.link.send('PING');
    const isToldBefore = isTold;

    await redis.client.publish(names('heard', 'a'), 'a/1');
    await told;

    expect(isToldBefore).toBe(false);
  });

  it('keep nobody waiting for a listener that never answers', async () => {
    const redis = await startRedis();
    const a = await openTouches(redis.url, 'a', { timeoutMs: 20 });
    await redis.listen(names('touched'));

    await expect(a.tell(CHANGE)).resolves.toBeUndefined();
  });

  it('touch everything for a replica that lacks their key', async () => {
    const redis = await startRedis();
    const [a, b] = [await openTouches(redis.url, 'a'), await openTouches(redis.url, 'b', { keys: [randomBytes(32)] })];

    await a.tell(CHANGE);

    expect(b.heard).toEqual(['everything']);
  });

  it('touch everything for a replica that may have missed one', async () => {
    const redis = await startRedis();
    const a = await openTouches(redis.url, 'a');

    await redis.restart();

    await eventually(() => expect(a.heard).toEqual(['everything']));
  });

  it('touch everything where they could not be told, as soon as they can', async () => {
    const redis = await startRedis();
    const [a, b] = [await openTouches(redis.url, 'a'), await openTouches(redis.url, 'b')];
    await redis.kill();
    await eventually(() => expect([a.link.isUp(), b.link.isUp()]).toEqual([false, false]));
    await a.tell(CHANGE);

    await redis.restart();
    await eventually(async () => expect(Number(await redis.client.hget(names('touches'), 'seq'))).toBeGreaterThan(0));

    await eventually(() => expect(b.heard).toContain('everything'));
    expect(a.heard).not.toContain(CHANGE);
  });

  it('touch everything when Redis has forgotten how they are counted', async () => {
    const redis = await startRedis();
    const [a, b] = [await openTouches(redis.url, 'a'), await openTouches(redis.url, 'b')];
    await redis.client.flushall();

    await a.tell(CHANGE);

    expect([a.heard, b.heard]).toEqual([['everything'], ['everything']]);
    await a.tell(CHANGE);
    expect(b.heard).toEqual(['everything', CHANGE]);
  });

  it.each(['garbage', 'x y z\ngarbage', ''])('are taken to touch everything where they are %j', async (message) => {
    const redis = await startRedis();
    const a = await openTouches(redis.url, 'a');

    await redis.client.publish(names('touched'), message);

    await eventually(() => expect(a.heard).toEqual(['everything']));
  });

  it('are told though the place of their count holds garbage', async () => {
    const redis = await startRedis();
    await redis.client.set(names('touches'), 'garbage');
    const [a, b] = [await openTouches(redis.url, 'a'), await openTouches(redis.url, 'b')];
    await redis.client.hset(names('touches'), 'seq', 'garbage');

    await a.tell(CHANGE);

    expect(b.heard).toEqual(['everything']);
  });

  it('begin to be counted anew before they fill the memory', async () => {
    const redis = await startRedis();
    const a = await openTouches(redis.url, 'a');
    const { born } = a.touches.position() ?? {};
    const many = Array.from({ length: 10_001 }, (_, index) => [`area ${index}`, '1']).flat();
    await redis.client.hset(names('touches'), ...many);

    await a.tell(CHANGE);

    expect(await redis.client.hlen(names('touches'))).toBeLessThan(10);
    expect(a.touches.position()?.born).not.toBe(born);
  });

  it('show nothing of what they touched', async () => {
    const redis = await startRedis();
    const a = await openTouches(redis.url, 'a');
    const seen = await redis.listen(names('touched'));

    void a.tell(CHANGE);

    await eventually(() => expect(seen).toHaveLength(1));
    const fields = Object.keys(await redis.client.hgetall(names('touches')));
    expect([...seen, ...fields].join()).not.toMatch(/thing|"5"/);
  });
});
