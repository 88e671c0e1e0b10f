import { setTimeout as sleep } from 'node:timers/promises';

import type { Renewal, Token } from '../../upstream/token-source.ts';
import type { Link } from './link.ts';
import { createLock } from './lock.ts';
import type { Names } from './names.ts';
import type { Seal } from './seal.ts';

interface TokenRenewalOptions {
  readonly link: Link;
  readonly names: Names;
  readonly seal: Seal;
  /** This process's name among the replicas. */
  readonly replica: string;
  /** Whose token it is: equal texts share one. */
  readonly owner: string;
  /** The clock, in epoch milliseconds. */
  readonly now?: () => number;
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** Who waits for another replica's renewal looks so often. */
const LOOK_AGAIN_MS = 50;

/**
 * Makes the renewal that one replica does for all: whoever takes the lock renews and leaves the token, sealed; the others take
 * it. A token that was refused is not taken again, so that a 401 costs one renewal, however many replicas meet it.
 *
 * Where the one who renews fails or dies, the next one tries; where Redis is away, each renews by itself.
 */
export function createTokenRenewal(options: TokenRenewalOptions): Renewal {
  const { link, names, seal, replica, owner, now = Date.now, wait = sleep } = options;
  const [blinded] = seal.blind('token', owner);
  const name = names('token', blinded);
  const lock = createLock({ link, name: names('renewal', blinded), holder: replica });

  const find = async (known: Token | undefined): Promise<Token | undefined> => {
    const [sealed, restMs] = await Promise.all([link.send('GET', name), link.send('PTTL', name)]);
    const authorization = sealed instanceof Uint8Array ? seal.open(name, sealed)?.toString() : undefined;
    if (authorization === undefined || authorization === known?.authorization || Number(restMs) <= 0) return undefined;
    // What is left of its life is told, not its end: clocks of replicas may differ.
    return { authorization, expiresAtMs: now() + Number(restMs) };
  };
  const leave = ({ authorization, expiresAtMs }: Token) => {
    const restMs = Math.floor(expiresAtMs - now());
    if (restMs <= 0) return;
    link.send('SET', name, seal.close(name, authorization), 'PX', restMs).catch(() => undefined);
  };
  const renew = async (issue: () => Promise<Token>): Promise<Token> => {
    try {
      const token = await issue();
      leave(token);
      return token;
    } finally {
      // Replies come in order: when the lock is free, the token is there.
      lock.release();
    }
  };
  /** A token, or what is to be done to get one. */
  const next = async (known: Token | undefined): Promise<Token | 'renew' | 'wait'> => {
    const found = await find(known);
    if (found) return found;
    if (!(await lock.take())) return 'wait';
    // Another one may have renewed since it was looked for.
    const late = await find(known);
    if (late) lock.release();
    return late ?? 'renew';
  };

  return async (issue, known) => {
    for (;;) {
      const step = await next(known).catch(() => 'alone' as const);
      if (typeof step === 'object') return step;
      if (step !== 'wait') return renew(issue);
      await wait(LOOK_AGAIN_MS);
    }
  };
}
