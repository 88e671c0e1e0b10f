import { setTimeout as sleep } from 'node:timers/promises';
import { steadyNow } from '../../core/work.ts';
import type { Renewal, Token } from '../../upstream/token-source.ts';
import type { SharedRedis } from './client.ts';

interface TokenRenewalOptions extends SharedRedis {
  /** This process's name among the replicas. */
  readonly replica: string;
  /** Whose token it is: equal texts share one. */
  readonly owner: string;
  /** How long one renewal may take, in milliseconds. */
  readonly deadlineMs: number;
}

/** A lock outlives the renewal by so much, in milliseconds, for the new token to be left; then it expires, should its holder die. */
const LOCK_SLACK_MS = 1_000;
/** Who waits for another replica's renewal looks so often. */
const POLL_MS = 50;

const RELEASE_LOCK = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

/**
 * Makes the renewal that one replica does for all: whoever takes the lock renews and leaves the token, encrypted; the others
 * take it. A token that was refused is not taken again, so that a 401 costs one renewal, however many replicas meet it.
 *
 * Where the one who renews fails or dies, the next one tries; while Redis is unavailable, each renews on its own.
 */
export function createTokenRenewal(options: TokenRenewalOptions): Renewal {
  const { client, encryption, nameOf, replica, owner, deadlineMs } = options;
  const hash = encryption.hash(owner);
  const name = nameOf('token', hash);
  const lock = nameOf('token-lock', hash);
  const lockMs = Math.ceil(deadlineMs + LOCK_SLACK_MS);

  const find = async (known: Token | undefined): Promise<Token | undefined> => {
    const [text, restMs] = await client.run((redis) => Promise.all([redis.get(name), redis.pttl(name)]));
    const content = text === null ? undefined : await encryption.decrypt(name, text);
    const authorization = content?.['authorization'];
    if (typeof authorization !== 'string' || authorization === known?.authorization || restMs <= 0) return undefined;
    // The remaining lifetime is shared, not the expiry: clocks of replicas may differ.
    return { authorization, expiresAtMs: steadyNow() + restMs };
  };
  const save = async ({ authorization, expiresAtMs }: Token): Promise<void> => {
    const restMs = Math.floor(expiresAtMs - steadyNow());
    if (restMs <= 0) return;
    const text = await encryption.encrypt(name, { authorization });
    await client.run((redis) => redis.set(name, text, 'PX', restMs));
  };
  // Nobody waits for it; where the connection is lost, the lock expires.
  const release = () => void client.redis.eval(RELEASE_LOCK, 1, lock, replica).catch(() => undefined);
  const renew = async (issue: () => Promise<Token>): Promise<Token> => {
    try {
      const token = await issue();
      await save(token).catch(() => undefined);
      return token;
    } finally {
      release();
    }
  };
  /** Gives a token that another replica left, or says what to do for one. */
  const next = async (known: Token | undefined): Promise<Token | 'renew' | 'wait'> => {
    const found = await find(known);
    if (found) return found;
    const isHolder = (await client.run((redis) => redis.set(lock, replica, 'PX', lockMs, 'NX'))) !== null;
    if (!isHolder) return 'wait';
    // Another one may have renewed since it was looked for.
    const late = await find(known);
    if (late) release();
    return late ?? 'renew';
  };

  return async (issue, known) => {
    for (;;) {
      const step = await next(known).catch(() => 'renew' as const);
      if (step === 'renew') return renew(issue);
      if (step !== 'wait') return step;
      await sleep(POLL_MS);
    }
  };
}
