import { describe, expect, it } from 'vitest';
import { startRedis } from '../../../support/redis.ts';
import { eventually } from '../support.ts';
import { openReplica } from './support.ts';

const AGAIN = 'Redis available again; state is shared';
const unavailable = (reason: string) => `Redis unavailable; running standalone (${reason})`;

describe('a replica', () => {
  it('runs standalone with a wrong Redis password, and logs that without the password', async () => {
    const redis = await startRedis({ password: 'right' });

    const { isSharing, logged, lines } = await openReplica(redis.url.replace('right', 'canary'));

    expect([await isSharing(), logged]).toEqual([false, [unavailable('WRONGPASS')]]);
    expect(lines.join()).not.toContain('canary');
  });

  it.each([
    ['full', 'OOM', ['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0']],
    ['read-only', 'READONLY', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
  ])('runs standalone while Redis is %s', async (_what, reason, fail, mend) => {
    const redis = await startRedis();
    const { isSharing, logged } = await openReplica(redis.url);
    const tell = ([command = '', ...args]: readonly string[]) => redis.client.call(command, ...args);

    await tell(fail);
    await eventually(async () => expect(await isSharing()).toBe(false));
    await tell(mend);

    await eventually(async () => expect(await isSharing()).toBe(true));
    expect(logged).toEqual([unavailable(reason), AGAIN]);
  });

  it('sends nothing for a while after a late reply', async () => {
    const redis = await startRedis();
    const { tokenRenewal, isSharing } = await openReplica(redis.url, { timeoutMs: 200, pauseMs: 60_000 });
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
