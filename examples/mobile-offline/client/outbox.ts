import { LostError, OfflineError, RefusedError } from './failures.ts';
import type { Folder } from './folder.ts';
import type { Asked, Gateway } from './gateway.ts';

/** A change that somebody made, and that is still to be sent. */
export interface Waiting extends Asked {
  /** The client's own name for the change, with which it has one effect however often it is sent. */
  readonly key: string;
  /** For people. */
  readonly about: string;
  /** When it was first sent without an answer, in epoch milliseconds; absent while it certainly was not done. */
  readonly lostAtMs?: number | undefined;
  /** Whether it may have been done so long ago that sending it again could do it twice. */
  readonly isUncertain?: boolean;
}

/** What became of a change. */
export interface Sent {
  readonly waiting: Waiting;
  readonly outcome: 'done' | 'refused' | 'uncertain' | 'waits';
  /** Why it was not done. */
  readonly reason?: string;
}

/** Changes that wait for the gateway, in the order in which they were made. */
export interface Outbox {
  readonly list: () => readonly Waiting[];
  add(waiting: Waiting): void;
  drop(key: string): void;
  /** Sends what waits, one after the other, until one cannot be sent now. */
  send(): Promise<readonly Sent[]>;
}

/** How long the gateway knows a key: ten minutes, of which one is left for the way. */
const KEY_LIFETIME_MS = 9 * 60_000;
const FILE = 'outbox.json';

export function createOutbox(gateway: Gateway, folder: Folder, now: () => number): Outbox {
  const list = () => folder.read<Waiting[]>(FILE) ?? [];
  const drop = (key: string) =>
    folder.write(
      FILE,
      list().filter((waiting) => waiting.key !== key),
    );
  const replace = (changed: Waiting) =>
    folder.write(
      FILE,
      list().map((waiting) => (waiting.key === changed.key ? changed : waiting)),
    );

  const sendOne = async (waiting: Waiting): Promise<Sent> => {
    const { documentId, variables, key, lostAtMs } = waiting;
    if (lostAtMs !== undefined && now() - lostAtMs > KEY_LIFETIME_MS) return setAside(waiting, 'its answer was lost');
    // Noted before it is sent: a device that goes off in between must not take it for unsent.
    replace({ ...waiting, lostAtMs: lostAtMs ?? now() });
    try {
      await gateway.change({ documentId, variables: { ...variables, idempotencyKey: key } });
      drop(key);
      return { waiting, outcome: 'done' };
    } catch (error) {
      return putBack(waiting, error);
    }
  };

  const putBack = (waiting: Waiting, error: unknown): Sent => {
    const reason = error instanceof Error ? error.message : 'for no reason that was told';
    if (error instanceof LostError) return { waiting, outcome: 'waits', reason };
    if (error instanceof RefusedError && error.code === 'OUTCOME_UNKNOWN') return setAside(waiting, reason);
    if (error instanceof OfflineError || (error instanceof RefusedError && isForLater(error))) {
      replace(waiting);
      return { waiting, outcome: 'waits', reason };
    }
    drop(waiting.key);
    return { waiting, outcome: 'refused', reason };
  };

  const setAside = (waiting: Waiting, reason: string): Sent => {
    replace({ ...waiting, isUncertain: true });
    return { waiting, outcome: 'uncertain', reason };
  };

  return {
    list,
    drop,
    add: (waiting) => folder.write(FILE, [...list(), waiting]),
    async send() {
      const sent: Sent[] = [];
      for (const waiting of list().filter(({ isUncertain }) => !isUncertain)) {
        const one = await sendOne(waiting);
        sent.push(one);
        if (one.outcome === 'waits') break;
      }
      return sent;
    },
  };
}

/** Whoever signs in again may send it. */
const isForLater = ({ code, isRetryable }: RefusedError): boolean => isRetryable || code === 'UNAUTHENTICATED';
