import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

import { InputError, UpstreamError, type UpstreamFailure } from '../upstream/errors.ts';
import type { ScopeKey } from './scope.ts';
import { BudgetError } from './stats.ts';

/** A mutation as the client sent it. */
export interface KeyedChange {
  readonly operation: string;
  /** The client's own name for this change; the same one means the same change. */
  readonly key: string;
  /** The mutation's whole input. */
  readonly input: unknown;
}

/** Keeps one caller's second try from having a second effect. */
export interface Idempotency {
  /**
   * Runs a write once for its key, and returns the first outcome to every repeat within ten minutes, also when it failed
   * or is unknown. A repeat during the run waits for it. A write that certainly had no effect is removed.
   *
   * @throws {InputError} when the key stands for another change, and for a second try whose first outcome was too large to
   *   keep: the change was made, and is not made again.
   */
  run<T>(change: KeyedChange, execute: () => Promise<T>): Promise<T>;
}

/** The outcomes of all callers' changes, bounded together. */
export interface IdempotencyStore {
  /** Gives what was kept for a caller, the same however often they come with another credential. */
  forCaller(caller: ScopeKey): Idempotency;
  /** About how much memory is taken. */
  bytes(): number;
}

interface StoreOptions {
  readonly maxBytes?: number;
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number;
}

/** A change that runs, or its outcome. */
interface Running {
  readonly fingerprint: string;
  readonly result: () => unknown;
}

interface Outcome extends Running {
  readonly bytes: number;
}

/** How long an outcome is kept. */
const KEPT_MS = 600_000;
const MAX_BYTES = 16 * 1024 * 1024;
/** A larger value is not kept, only that its change is done. */
const LARGE_BYTES = 65_536;
/** The bookkeeping of an outcome, and an error, take about so much. */
const OUTCOME_BYTES = 1_500;
/** A value takes about so much for each character of its JSON. */
const BYTES_PER_CHARACTER = 4;
const KEY_MAX_LENGTH = 256;

/** Makes the store of one process. */
export function createIdempotencyStore({ maxBytes = MAX_BYTES, now = monotonic }: StoreOptions = {}): IdempotencyStore {
  const running = new Map<string, Running>();
  const outcomes = new LRUCache<string, Outcome>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }, id) => bytes + 2 * id.length,
    ttl: KEPT_MS,
    ttlResolution: 0,
    perf: { now },
  });

  const begin = <T>(id: string, fingerprint: string, execute: () => Promise<T>): Promise<T> => {
    const keep = (result: () => unknown, bytes = OUTCOME_BYTES) =>
      void outcomes.set(id, { fingerprint, result, bytes });
    const result = execute()
      .then(
        (value) => {
          const bytes = OUTCOME_BYTES + sizeOf(value);
          if (bytes > LARGE_BYTES) keep(throwTooLarge);
          else keep(() => value, bytes);
          return value;
        },
        (error: unknown) => {
          if (!hasNotHappened(error)) keep(toRethrow(error));
          throw error;
        },
      )
      .finally(() => running.delete(id));
    running.set(id, { fingerprint, result: () => result });
    return result;
  };

  const runFor = async <T>(caller: ScopeKey, change: KeyedChange, execute: () => Promise<T>): Promise<T> => {
    checkKey(change.key);
    // A caller's key is a hash, so that no two pairs read the same.
    const id = `${caller} ${change.key}`;
    const fingerprint = fingerprintOf(change);
    for (;;) {
      const known = running.get(id) ?? outcomes.get(id);
      if (known === undefined) return begin(id, fingerprint, execute);
      if (known.fingerprint !== fingerprint) {
        throw new InputError('This idempotencyKey was used for another mutation; use a new one for each mutation.');
      }
      const outcome = await settle(known);
      if (outcome !== 'given-up') return outcome.result as T;
    }
  };

  return {
    forCaller: (caller) => ({ run: (change, execute) => runFor(caller, change, execute) }),
    bytes: () => outcomes.calculatedSize,
  };
}

const monotonic = (): number => performance.now();

function checkKey(key: string): void {
  if (key !== '' && key.length <= KEY_MAX_LENGTH) return;
  throw new InputError(`An idempotencyKey has 1 to ${KEY_MAX_LENGTH} characters.`);
}

/** Waits for a change; `given-up` when the first client left before anything was sent, or is signed out. */
async function settle({ result }: Running): Promise<{ readonly result: unknown } | 'given-up'> {
  try {
    return { result: await result() };
  } catch (error) {
    if (error instanceof UpstreamError && GIVEN_UP.includes(error.failure)) return 'given-up';
    throw error;
  }
}

/** Failures of the request itself, which say nothing about the write. */
const GIVEN_UP: readonly UpstreamFailure[] = ['cancelled', 'signed-out'];

/** Failures of a change that the platform refused before it acted, or that was never sent. */
const REFUSED: readonly UpstreamFailure[] = [
  'cancelled',
  'overloaded',
  'rate-limited',
  'signed-out',
  'stopped',
  'unauthenticated',
];

function hasNotHappened(error: unknown): boolean {
  if (!(error instanceof UpstreamError)) return error instanceof InputError || error instanceof BudgetError;
  return error.isUnsent || error.operation === 'getToken' || REFUSED.includes(error.failure);
}

/** Makes what throws the like of an error: the error itself holds by its stack the functions, and with them the request, that met it. */
function toRethrow(error: unknown): () => never {
  if (error instanceof UpstreamError) {
    const { failure, ...details } = { ...error, cause: undefined };
    return () => {
      throw new UpstreamError(failure, details);
    };
  }
  const message = String(error);
  return () => {
    throw new Error(message);
  };
}

function throwTooLarge(): never {
  throw new InputError(
    'The mutation with this idempotencyKey ran before, and its result was too large to store: read the record instead.',
  );
}

/** Gives about how much memory a value takes; one that JSON cannot say is taken to be large. */
function sizeOf(value: unknown): number {
  try {
    return BYTES_PER_CHARACTER * (JSON.stringify(value)?.length ?? 0);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function fingerprintOf({ operation, input }: KeyedChange): string {
  return createHash('sha256')
    .update(JSON.stringify([operation, sorted(input)]))
    .digest('base64url');
}

/** Two inputs that say the same are the same, in whatever order their members come. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, member]) => [name, sorted(member)]);
}
