import type { ResponseError } from '../errors.ts';

export type Variables = Readonly<Record<string, unknown>>;

/** A change to add to the queue. Its members are stored as JSON. */
export interface NewChange {
  /** The name of the mutation, by which `send` finds its document. */
  readonly operation: string;
  /** The variables without `$idempotencyKey`. For an item of a bulk write: the item. */
  readonly variables: Variables;
  /**
   * Whether the mutation is a bulk write with the variables `$items` and `$idempotencyKey`. Up to
   * 100 consecutive items are sent in one call.
   */
  readonly isItem?: boolean;
  /**
   * The record that it changes. Its later changes wait while one is set aside. Items of a bulk write
   * need it, because a call contains each record once.
   */
  readonly record?: string;
  /** Data of the application, such as a text for the screen. */
  readonly note?: unknown;
}

/** A change in the queue. */
export interface QueuedChange extends NewChange {
  readonly id: string;
  /** Changes are sent in this order. */
  readonly position: number;
  /** How often the platform failed to respond to it. */
  readonly attempts: number;
  /** The call that contained it, while its outcome is unknown. It is repeated with its key. */
  readonly call?: OfflineCall | undefined;
  /** Whether it is sent alone, because a call with several items was refused. */
  readonly isAlone?: boolean;
  /** Why it is set aside until a person decides. */
  readonly problem?: Problem | undefined;
}

export interface OfflineCall {
  readonly idempotencyKey: string;
  /** How many items the call has. */
  readonly size: number;
  /** When it was first sent, in epoch milliseconds. */
  readonly sentAtMs: number;
}

/**
 * Why a change is set aside.
 * - `conflict`: the record has other values than `expected`. `current` has the present ones.
 * - `refused`: sending it again would not help.
 * - `unknown`: it may have been made. Read the record before you send it again.
 * - `failing`: the platform failed `maxAttempts` times.
 */
export interface Problem {
  readonly kind: 'conflict' | 'refused' | 'unknown' | 'failing';
  readonly message: string;
  /** The present values of the record, as the payload selects them. */
  readonly current?: unknown;
  /** The gateway's errors, for `codesOf(problem)` and `violationsOf(problem)`. */
  readonly errors: readonly ResponseError[];
}

/** The outcome of a change in one flush. */
export interface SentChange {
  readonly change: QueuedChange;
  /** `waiting`: it is sent by a later flush. */
  readonly outcome: 'done' | 'waiting' | Problem['kind'];
  /** The data of the mutation, or the result of the item. */
  readonly data?: unknown;
  readonly error?: unknown;
}

/** The device's storage of a queue. */
export interface OfflineStorage {
  /** Returns all changes, in any order. */
  read(): Promise<readonly QueuedChange[]>;
  /**
   * Adds or replaces changes by their `id`, and removes others: all or nothing. Resolves when a
   * power loss cannot undo it, because a change is sent only after its key is stored.
   */
  save(changed: readonly QueuedChange[], removedIds: readonly string[]): Promise<void>;
  /** Runs one function at a time, for tabs that share the storage. */
  exclusive?: (<Result>(run: () => Promise<Result>) => Promise<Result>) | undefined;
}
