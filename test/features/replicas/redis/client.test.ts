import { describe, expect, it } from 'vitest';
import { startRedis } from '../../../support/redis.ts';
import { openReplica } from './support.ts';

describe('a replica', () => {
  it('runs standalone with a wrong Redis password, and logs that without the password', async () => {
    const redis = await startRedis({ password: 'right' });

    const { isSharing, logged, lines } = await openReplica(redis.url.replace('right', 'canary'));

    expect([await isSharing(), logged]).toEqual([
      false,
      ['Redis unavailable; running standalone (WRONGPASS)'],
    ]);
    expect(lines.join()).not.toContain('canary');
  });

  it('counts the seconds that it runs standalone, and no others', async () => {
    const redis = await startRedis();
    const { isSharing, readGauge } = await openReplica(redis.url);
    const standaloneSeconds = () => readGauge('caseway_replicas_standalone_seconds_total');
    await isSharing();
    const before = await standaloneSeconds();

    await redis.kill();
    await expect.poll(isSharing).toBe(false);
    await expect.poll(standaloneSeconds).toBeGreaterThan(0.05);
    await redis.restart();
    await expect.poll(isSharing).toBe(true);
    const after = await standaloneSeconds();
    await isSharing();

    expect([before, await standaloneSeconds()]).toEqual([0, after]);
  });

  it('sends nothing for a while after a late reply', async () => {
    const redis = await startRedis();
    const { tokenRenewal, isSharing } = await openReplica(redis.url, {
      timeoutMs: 200,
      pauseMs: 60_000,
    });
    const renew = tokenRenewal(1_000);
    const issue = async () => ({ authorization: 'own', expiresAtMs: Date.now() + 60_000 });
    redis.pause();
    await renew('somebody', issue, undefined);

    const startedAtMs = performance.now();
    for (let count = 0; count < 20; count++) await renew('somebody', issue, undefined);

    expect(await isSharing()).toBe(false);
    expect(performance.now() - startedAtMs).toBeLessThan(20 * 200);
  });
});
