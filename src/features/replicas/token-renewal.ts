import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { steadyNow } from '../../core/work.ts';
import type { Renewal, Token } from '../../upstream/token-source.ts';
import type { SharedRedis } from './client.ts';

/** A lock outlives the renewal by so much, in milliseconds, for the new token to be left; then it expires, should its holder die. */
const LOCK_SLACK_MS = 1_000;
/** Who waits for another replica's renewal looks so often. */
const POLL_MS = 50;

const RELEASE_LOCK = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`;

/**
 * Makes the renewal that one replica does for all: whoever takes the lock renews and leaves the token, encrypted; the others
 * take it. A token that was refused is not taken again, so that a 401 costs one renewal, however many replicas meet it.
 *
 * Where the one who renews fails or dies, the next one tries; while Redis is unavailable, each renews on its own.
 *
 * @param deadlineMs how long one renewal may take, in milliseconds.
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
      // The remaining lifetime is shared, not the expiry: clocks of replicas may differ.
      return { authorization, expiresAtMs: steadyNow() + restMs };
    };
    /** Resolves to a token that another replica left, or to `undefined` once the lock is taken. */
    const findOrLock = async (): Promise<Token | undefined> => {
      for (;;) {
        const isHolder =
          (await client.run((redis) => redis.set(lock, holder, 'PX', lockMs, 'NX'))) !== null;
        // Looked for with the lock as well: another one may have renewed just before.
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
      // Nobody waits for it; where the connection is lost, the lock expires.
      client.insist((redis) => redis.eval(RELEASE_LOCK, 1, lock, holder)).catch(() => undefined);
    }
  };
}
