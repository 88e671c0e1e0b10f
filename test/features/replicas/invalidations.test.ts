import { describe, expect, it } from 'vitest';

import { type Sharer, startPair, startSharer } from './replicas.ts';
import { readiness } from './support.ts';

const READ = '{ instance(formId: "supplier", instanceId: "1") { value(field: "name") } }';
const RENAME = `mutation ($name: String!) {
  updateInstance(input: { formId: "supplier", instanceId: "1", values: { name: $name } }) { instance { id } }
}`;
/** Copies stay fresh for an hour: a changed answer means that the copy was invalidated. */
const FOR_AN_HOUR = { CACHE_INSTANCES_MS: '3600000', CACHE_DEFINITIONS_MS: '3600000' };

const nameOf = async ({ execute }: Sharer) => (await execute(READ)).data.instance.value;

const redisAt = async ({ url }: Sharer) => (await readiness(url)).redis;

describe('two replicas', () => {
  it('see each other’s changes, however long their copies are fresh', async () => {
    const { a, b } = await startPair(FOR_AN_HOUR);
    const names = Array.from({ length: 20 }, (_, index) => `Name ${index}`);

    for (const [index, name] of names.entries()) {
      const [writer, reader] = index % 2 ? [a, b] : [b, a];
      await nameOf(reader);
      await writer.execute(RENAME, { name });
      await expect.poll(() => nameOf(reader)).toBe(name);
    }
  });

  it('see each other’s changes again after Redis was down', async () => {
    const { redis, a, b } = await startPair(FOR_AN_HOUR);
    await Promise.all([nameOf(a), nameOf(b)]);
    await redis.kill();
    await expect.poll(() => redisAt(a)).toBe('unavailable');
    await a.execute(RENAME, { name: 'Meanwhile' });
    const written = await nameOf(a);

    await redis.restart();
    await expect.poll(() => nameOf(b)).toBe('Meanwhile');
    await expect.poll(() => redisAt(a)).toBe('ok');
    await b.execute(RENAME, { name: 'Afterwards' });

    expect(written).toBe('Meanwhile');
    await expect.poll(() => nameOf(a)).toBe('Afterwards');
  });

  it('see each other’s changes again after one of them alone had lost Redis', async () => {
    const { redis, env, a } = await startPair(FOR_AN_HOUR);
    await redis.client.call('ACL', 'SETUSER', 'other', 'on', '>secret', '~*', '&*', '+@all');
    const REDIS_URL = redis.url.replace('redis://', 'redis://other:secret@');
    const b = await startSharer({ ...env, REDIS_URL });
    await nameOf(b);
    await redis.client.call('ACL', 'SETUSER', 'other', 'off');
    await redis.client.call('CLIENT', 'KILL', 'USER', 'other');
    await expect.poll(() => redisAt(b)).toBe('unavailable');
    await a.execute(RENAME, { name: 'Missed' });
    const before = await nameOf(b);

    await redis.client.call('ACL', 'SETUSER', 'other', 'on');

    expect(before).not.toBe('Missed');
    await expect.poll(() => nameOf(b)).toBe('Missed');
  });

  it('respond while Redis hangs', async () => {
    const { redis, a, b } = await startPair(FOR_AN_HOUR);
    await nameOf(b);
    redis.pause();

    const change = await a.execute(RENAME, { name: 'During' });
    const seen = await nameOf(a);
    redis.resume();

    expect([change.errors, seen]).toEqual([undefined, 'During']);
    await expect.poll(() => nameOf(b)).toBe('During');
  });
});
