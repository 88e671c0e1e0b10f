import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { steadyNow } from '../../core/request-state.ts';
import type { Renewal, Token } from '../../upstream/token-provider.ts';
import type { SharedRedis } from './client.ts';

/**
 * How much longer a lock lasts than a renewal, in milliseconds, so that the token can be stored. If
 * the holder dies, the lock expires.
 */
const LOCK_SLACK_MS = 1_000;
/**
 * How often a replica checks whether another one has stored the new token, in milliseconds.
 */
const POLL_MS = 50;

const RELEASE_LOCK = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`;

/**
 * Returns a function that renews a token once for all replicas. The replica that acquires the lock
 * renews the token and stores it, encrypted. The others read it. A token that the platform has
 * rejected is not used again, so a 401 leads to one renewal for all replicas.
 *
 * If the holder of the lock fails or dies, the next replica tries. While Redis is unavailable, each
 * replica renews its own token.
 *
 * @param deadlineMs the maximum duration of one renewal, in milliseconds.
 */
export function createTokenRenewal(
  { client, encryption, nameOf }: SharedRedis,
  deadlineMs: number,
): Renewal {
  const lockMs = deadlineMs + LOCK_SLACK_MS;

  return async (owner, issue, known) => {
    const hash = encryption.hash(owner);
    const name = nameOf('token', hash);
    const lock = nameOf('token-lock', hash);
    const holder = randomUUID();

    const find = async (): Promise<Token | undefined> => {
      const [text, restMs] = await client.run((redis) =>
        Promise.all([redis.get(name), redis.pttl(name)]),
      );
      const content = text === null ? undefined : await encryption.decrypt(name, text);
      const authorization = content?.['authorization'];
      if (
        typeof authorization !== 'string' ||
        authorization === known?.authorization ||
        restMs <= 0
      )
        return undefined;
      // Replicas share the remaining lifetime instead of the expiry, because their clocks may
      // differ.
      return { authorization, expiresAtMs: steadyNow() + restMs };
    };
    /**
     * Returns the token that another replica has stored, or `undefined` once the lock is acquired.
     */
    const findOrLock = async (): Promise<Token | undefined> => {
      for (;;) {
        const isHolder =
          (await client.run((redis) => redis.set(lock, holder, 'PX', lockMs, 'NX'))) !== null;
        // Also checked by the holder of the lock: another replica may just have finished its
        // renewal.
        const found = await find();
        if (found !== undefined || isHolder) return found;
        await sleep(POLL_MS);
      }
    };
    const save = async ({ authorization, expiresAtMs }: Token): Promise<void> => {
      const restMs = Math.floor(expiresAtMs - steadyNow());
      if (restMs <= 0) return;
      const text = await encryption.encrypt(name, { authorization });
      await client.run((redis) => redis.set(name, text, 'PX', restMs));
    };

    try {
      const found = await findOrLock().catch(() => undefined);
      if (found !== undefined) return found;
      const token = await issue();
      await save(token).catch(() => undefined);
      return token;
    } finally {
      // Not awaited. If the connection is lost, the lock expires.
      client.insist((redis) => redis.eval(RELEASE_LOCK, 1, lock, holder)).catch(() => undefined);
    }
  };
}
