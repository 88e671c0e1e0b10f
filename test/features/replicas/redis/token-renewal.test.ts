import { describe, expect, it } from 'vitest';

import type { Token } from '../../../../src/upstream/token-provider.ts';
import { startRedis, type TestRedis } from '../../../support/redis.ts';
import { openReplica } from './support.ts';

/** Creates an issuer of tokens that live for an hour. It may take forever to issue them. */
function issuer(isSlow = false) {
  const issued: string[] = [];
  const issue = async (): Promise<Token> => {
    const authorization = `token-${issued.length + 1}`;
    issued.push(authorization);
    if (isSlow) await new Promise(() => undefined);
    return { authorization, expiresAtMs: Date.now() + 3_600_000 };
  };
  return { issued, issue };
}

/** Opens a replica that renews the token of an owner. */
async function openRenewal({ url }: TestRedis, deadlineMs = 60_000, owner = 'gateway') {
  const { tokenRenewal, close } = await openReplica(url);
  const renew = (issue: () => Promise<Token>) => tokenRenewal(deadlineMs)(owner, issue, undefined);
  const authorization = async (issue: () => Promise<Token>) => (await renew(issue)).authorization;
  return { renew, authorization, close };
}

async function openTwo(deadlineMs?: number) {
  const redis = await startRedis();
  const [a, b] = [await openRenewal(redis, deadlineMs), await openRenewal(redis, deadlineMs)];
  return { redis, a, b };
}

describe('the shared token renewal', () => {
  it('passes on the token’s remaining lifetime', async () => {
    const { a, b } = await openTwo();
    const { issue } = issuer();
    const { expiresAtMs } = await a.renew(issue);

    const taken = await b.renew(issue);

    expect(Math.abs(taken.expiresAtMs - expiresAtMs)).toBeLessThan(60_000);
  });

  it('passes to the next replica when the first one fails, which gets the error', async () => {
    const { a, b } = await openTwo();
    const { issue } = issuer();

    const failed = a.authorization(() => Promise.reject(new Error('no')));

    await expect(failed).rejects.toThrow('no');
    expect(await b.authorization(issue)).toBe('token-1');
  });

  it('is locked for as long as it may take, and no longer', async () => {
    const redis = await startRedis();
    const a = await openRenewal(redis);
    const { issued, issue } = issuer(true);
    a.authorization(issue);
    await expect.poll(() => issued).toHaveLength(1);
    const [lock = ''] = await redis.client.keys('*:token-lock:*');

    const restMs = await redis.client.pttl(lock);

    expect(restMs).toBeGreaterThan(30_000);
    expect(restMs).toBeLessThanOrEqual(61_000);
  });

  it('passes to the next replica when the first one dies', async () => {
    const { a, b } = await openTwo(1_000);
    const { issued, issue } = issuer(true);
    a.authorization(issue);
    await expect.poll(() => issued).toHaveLength(1);

    a.close();

    expect(await b.authorization(issuer().issue)).toBe('token-1');
  });

  it('happens on each replica while Redis is unavailable, also when it goes down meanwhile', async () => {
    const { redis, a, b } = await openTwo();
    const held = issuer(true);
    a.authorization(held.issue);
    await expect.poll(() => held.issued).toHaveLength(1);
    const waiting = b.authorization(issuer().issue);

    await redis.kill();

    expect(await waiting).toBe('token-1');
    expect(await b.authorization(issuer().issue)).toBe('token-1');
  });

  it('is separate for other credentials', async () => {
    const redis = await startRedis();
    const ann = await openRenewal(redis, undefined, 'ann');
    const bob = await openRenewal(redis, undefined, 'bob');
    const { issue } = issuer();

    expect(await ann.authorization(issue)).toBe('token-1');
    expect(await bob.authorization(issue)).toBe('token-2');
  });

  it('takes no token that it cannot decrypt, and leaves nothing that can be read', async () => {
    const redis = await startRedis();
    const { issue } = issuer();
    const a = await openRenewal(redis);
    await a.authorization(issue);
    const [name = ''] = await redis.client.keys('*:token:*');
    const stored = await redis.client.getBuffer(name);
    await redis.client.set(name, 'garbage', 'PX', 60_000);

    const b = await openRenewal(redis);

    expect(await b.authorization(issue)).toBe('token-2');
    expect(stored?.includes('token-1')).toBe(false);
    expect(name).not.toContain('gateway');
  });
});
