import { type Gateway, LostError, OfflineError, type Operation, RefusedError } from './gateway.ts';
import type { Store } from './store.ts';

/** A change that somebody made on this device, and that the gateway has not confirmed. */
export interface Change extends Operation {
  /** The client's own id of the change, with which it has one effect however often it is sent. */
  readonly idempotencyKey: string;
  /** For people. */
  readonly about: string;
  /** What the person saw when they decided: a query and its data then. Other data now is a conflict. */
  readonly seen?: Operation & { readonly data: unknown };
  /** When it was first sent without an answer, in epoch milliseconds; absent while it was certainly not done. */
  readonly sentAtMs?: number | undefined;
  /** Why it is not sent any more: a person has to look. */
  readonly problem?: 'conflict' | 'uncertain';
}

/** What became of a change. */
export interface Result {
  readonly change: Change;
  readonly outcome: 'done' | 'refused' | 'waits' | 'conflict' | 'uncertain';
  /** Why it was not done. */
  readonly reason?: string;
}

/** The changes that wait, in the order in which they were made. */
export interface Outbox {
  readonly list: () => readonly Change[];
  add(change: Omit<Change, 'idempotencyKey'>): void;
  drop(idempotencyKey: string): void;
  /** Sends what waits, one after the other, until one cannot be sent now. */
  send(): Promise<readonly Result[]>;
}

/** The gateway knows a key for ten minutes, of which one is left for the way. */
const KEY_LIFETIME_MS = 9 * 60_000;
const NAME = 'outbox';

export function createOutbox(gateway: Gateway, store: Store, now: () => number): Outbox {
  const list = () => store.read<Change[]>(NAME) ?? [];
  const drop = (key: string) =>
    store.write(
      NAME,
      list().filter(({ idempotencyKey }) => idempotencyKey !== key),
    );
  const replace = (changed: Change) =>
    store.write(
      NAME,
      list().map((change) => (change.idempotencyKey === changed.idempotencyKey ? changed : change)),
    );
  const setAside = (change: Change, problem: 'conflict' | 'uncertain', reason: string): Result => {
    replace({ ...change, problem });
    return { change, outcome: problem, reason };
  };

  const sendOne = async (change: Change): Promise<Result> => {
    const { documentId, variables, idempotencyKey, sentAtMs } = change;
    if (sentAtMs !== undefined && now() - sentAtMs > KEY_LIFETIME_MS) {
      return setAside(change, 'uncertain', 'its answer was lost');
    }
    try {
      // A change that was sent before may be what changed the data.
      if (sentAtMs === undefined && !(await isAsSeen(change))) {
        return setAside(change, 'conflict', 'it has changed meanwhile');
      }
      // Stored before it is sent: a device that goes off in between must not take it for unsent.
      replace({ ...change, sentAtMs: sentAtMs ?? now() });
      await gateway.mutate({ documentId, variables: { ...variables, idempotencyKey } });
      drop(idempotencyKey);
      return { change, outcome: 'done' };
    } catch (error) {
      return settle(change, error);
    }
  };

  const isAsSeen = async ({ seen }: Change): Promise<boolean> =>
    seen === undefined || JSON.stringify((await gateway.query(seen)).data) === JSON.stringify(seen.data);

  const settle = (change: Change, error: unknown): Result => {
    const reason = error instanceof Error ? error.message : 'unknown error';
    if (error instanceof LostError) return { change, outcome: 'waits', reason };
    if (error instanceof RefusedError && error.code === 'OUTCOME_UNKNOWN') return setAside(change, 'uncertain', reason);
    if (error instanceof OfflineError || (error instanceof RefusedError && isForLater(error))) {
      replace(change);
      return { change, outcome: 'waits', reason };
    }
    drop(change.idempotencyKey);
    return { change, outcome: 'refused', reason };
  };

  return {
    list,
    drop,
    add: (change) => store.write(NAME, [...list(), { ...change, idempotencyKey: crypto.randomUUID() }]),
    async send() {
      const results: Result[] = [];
      for (const change of list().filter(({ problem }) => problem === undefined)) {
        const result = await sendOne(change);
        results.push(result);
        if (result.outcome === 'waits') break;
      }
      return results;
    },
  };
}

/** Somebody who signs in again may send it. */
const isForLater = ({ code, isRetryable }: RefusedError): boolean => isRetryable || code === 'UNAUTHENTICATED';
