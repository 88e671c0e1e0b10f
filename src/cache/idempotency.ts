import { hash } from 'node:crypto';
import {
  InputError,
  isOneOf,
  KeyReusedError,
  UpstreamError,
  type UpstreamFailure,
} from '../core/errors.ts';
import { Quota } from '../core/quota.ts';
import { CallLimitError } from '../core/request-state.ts';
import type { Lease } from '../upstream/call.ts';
import { toKey } from '../upstream/operations.ts';
import type { ScopeKey } from './scope-key.ts';

/** The stored outcome of a change. */
export type ChangeOutcome =
  | { readonly is: 'done'; readonly value?: unknown }
  /** The change is done, but its result was too large to store. */
  | { readonly is: 'large' }
  | { readonly is: 'failed'; readonly failure: UpstreamFailure; readonly details: FailureDetails };

/** The members of an `UpstreamError` that are stored. */
interface FailureDetails {
  readonly operation: UpstreamError['operation'];
  readonly status: UpstreamError['status'];
  readonly errorCode: UpstreamError['errorCode'];
  readonly retryAfterMs: UpstreamError['retryAfterMs'];
  readonly isFinal: UpstreamError['isFinal'];
  readonly advice?: UpstreamError['advice'];
}

/** A change with its caller and idempotency key. */
export interface NamedChange {
  readonly operation: string;
  /** The client's key. */
  readonly key: string;
  readonly caller: ScopeKey;
  /** A hash of the mutation. Equal mutations have equal hashes. */
  readonly fingerprint: string;
}

/** A run of a change that other replicas may receive too. */
export interface SharedRun extends Lease {
  /**
   * Looks up the outcome at other replicas. `undefined` if the change has not run. An unknown
   * outcome if it takes too long.
   *
   * @throws {InputError} if the key belongs to another change.
   */
  find(): Promise<ChangeOutcome | undefined>;
  /** Publishes the outcome. `undefined` if the change certainly had no effect. Never throws. */
  settle(outcome: ChangeOutcome | undefined): Promise<void>;
}

/** A mutation of the client with its key. */
interface KeyedChange {
  readonly operation: string;
  /** The client's key. Equal keys mean the same change. */
  readonly key: string;
  readonly input: unknown;
}

/** The outcomes of all callers' changes. Their memory is limited together. */
export interface IdempotencyStore {
  /** Returns the outcomes of a caller. They do not depend on the caller's credentials. */
  forCaller(caller: ScopeKey): Idempotency;
  /** Returns the approximate memory in bytes. */
  bytes(): number;
}

/** The outcomes of one caller's changes. A retry has no second effect. */
export interface Idempotency {
  /**
   * Runs a change once per key. A repeat gets the first outcome while it is kept, including
   * failures and unknown outcomes. A record is reduced to its ids. A repeat during the run waits
   * for it. A change that certainly had no effect is forgotten.
   *
   * @param execute runs the change. It gets a lease if replicas share outcomes.
   * @throws {InputError} if the key belongs to another change, or if the first result was too large
   *   to store. In the second case the change was made, and is not made again.
   */
  run<T>(change: KeyedChange, execute: Execute<T>): Promise<T>;
}

/** Starts a run that replicas share. */
export type ShareRun = (change: NamedChange) => SharedRun;

interface IdempotencyOptions {
  /** Absent if each process keeps its own outcomes. */
  readonly share?: ShareRun | undefined;
  /** How long outcomes are kept, in milliseconds. */
  readonly keptMs?: number;
  readonly maxBytes?: number;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

const MAX_BYTES = 16 * 1024 * 1024;
/** The part of the memory for one caller. */
const CALLER_SHARE = 0.5;
/** The approximate memory of an outcome or error without its value. */
const OUTCOME_BYTES = 1_500;
/** The approximate memory of a value per byte of its JSON. */
const BYTES_PER_BYTE = 4;

/** Creates the store of one process. */
export function createIdempotencyStore(options: IdempotencyOptions = {}): IdempotencyStore {
  const { share, keptMs = KEPT_MS, maxBytes = MAX_BYTES, now = () => performance.now() } = options;
  const running = new Map<
    string,
    { readonly fingerprint: string; readonly result: Promise<unknown> }
  >();
  const kept = createOutcomes(keptMs, maxBytes, now);

  const settle = async <T>(
    change: NamedChange,
    ran: PromiseSettledResult<T>,
    shared?: SharedRun,
  ): Promise<T> => {
    const isDone = ran.status === 'fulfilled';
    const outcome = isDone ? toOutcome(ran.value) : toFailure(ran.reason, change.operation);
    if (outcome) kept.add(change, outcome);
    await shared?.settle(outcome);
    if (!isDone) throw ran.reason;
    return ran.value;
  };
  /** Runs a change. If another replica acquires the lease first, returns that replica's outcome. */
  const make = async <T>(change: NamedChange, execute: Execute<T>): Promise<T> => {
    for (;;) {
      const shared = share?.(change);
      const found = await shared?.find();
      if (found) return resultOf(found) as T;
      const [ran] = await Promise.allSettled([execute(shared)]);
      if (ran.status === 'fulfilled' || !shared?.isTaken()) return settle(change, ran, shared);
    }
  };

  const runKeyed = async <T>(
    caller: ScopeKey,
    keyed: KeyedChange,
    execute: Execute<T>,
  ): Promise<T> => {
    const { operation, key } = keyed;
    checkKey(key);
    const change = { operation, key, caller, fingerprint: fingerprintOf(keyed) };
    // The caller key is a hash, so different pairs have different ids.
    const id = `${caller} ${key}`;
    for (let run = running.get(id); run !== undefined; run = running.get(id)) {
      checkSame(change, run.fingerprint);
      try {
        return toKey(await run.result) as T;
      } catch (error) {
        if (!isOneOf(GIVEN_UP, error)) throw error;
      }
    }
    const known = kept.find(change);
    if (known) return resultOf(known) as T;
    const result = make(change, execute).finally(() => running.delete(id));
    running.set(id, { fingerprint: change.fingerprint, result });
    return result;
  };

  return {
    forCaller: (caller) => ({ run: (change, execute) => runKeyed(caller, change, execute) }),
    bytes: kept.bytes,
  };
}

type Execute<T> = (lease?: Lease) => Promise<T>;

interface Kept extends Pick<NamedChange, 'fingerprint'> {
  readonly outcome: ChangeOutcome;
  readonly bytes: number;
  readonly untilMs: number;
}

/**
 * Creates the stored outcomes. A caller above its cap loses its oldest outcomes. Above the global
 * limit, the caller with the most memory loses its oldest outcomes. So a caller cannot evict the
 * outcomes of a caller with less memory.
 */
function createOutcomes(keptMs: number, maxBytes: number, now: () => number) {
  /** By caller and key, oldest first. */
  const callers = new Map<ScopeKey, Map<string, Kept>>();
  const bytes = new Quota(maxBytes, maxBytes * CALLER_SHARE);

  const remove = (caller: ScopeKey, key: string): void => {
    const own = callers.get(caller);
    const one = own?.get(key);
    if (own === undefined || one === undefined) return;
    own.delete(key);
    bytes.add(caller, -one.bytes);
    if (own.size === 0) callers.delete(caller);
  };
  const removeExpired = (): void => {
    for (const [caller, own] of callers) {
      for (const [key, { untilMs }] of own) {
        if (untilMs >= now()) break;
        remove(caller, key);
      }
    }
  };
  const largest = (): ScopeKey =>
    [...callers.keys()].reduce((one, other) => (bytes.of(other) > bytes.of(one) ? other : one));
  /** Returns the caller that must lose its oldest outcome, after an addition for `caller`. */
  const findLoser = (caller: ScopeKey): ScopeKey | undefined => {
    const excess = bytes.excess(caller, 0);
    return excess === 'all' ? largest() : excess && caller;
  };

  return {
    bytes: () => bytes.total,
    find(change: NamedChange): ChangeOutcome | undefined {
      const one = callers.get(change.caller)?.get(change.key);
      if (one === undefined || one.untilMs < now()) return undefined;
      checkSame(change, one.fingerprint);
      return one.outcome;
    },
    add({ caller, key, fingerprint }: NamedChange, outcome: ChangeOutcome): void {
      remove(caller, key);
      const size = OUTCOME_BYTES + 2 * key.length + BYTES_PER_BYTE * sizeOf(outcome);
      const own = callers.get(caller) ?? new Map<string, Kept>();
      callers.set(caller, own);
      own.set(key, { fingerprint, outcome, bytes: size, untilMs: now() + keptMs });
      bytes.add(caller, size);
      if (findLoser(caller)) removeExpired();
      for (let loser = findLoser(caller); loser !== undefined; loser = findLoser(caller)) {
        const [oldest = ''] = callers.get(loser)?.keys() ?? [];
        remove(loser, oldest);
      }
    },
  };
}

/** Failures of the first request that do not concern the change. */
const GIVEN_UP: readonly UpstreamFailure[] = ['cancelled', 'signed-out'];

/**
 * Returns the outcome of a failure. `undefined` if the change certainly did not happen. The error
 * itself is not stored, because its stack may keep the request in memory.
 */
function toFailure(error: unknown, operation: string): ChangeOutcome | undefined {
  if (hasNotHappened(error)) return undefined;
  if (!(error instanceof UpstreamError)) return unknownOutcome(operation);
  const { failure, status, errorCode, advice, retryAfterMs, isFinal } = error;
  const details = { operation, status, errorCode, advice, retryAfterMs, isFinal };
  return { is: 'failed', failure, details };
}

const fingerprintOf = ({ operation, input }: KeyedChange): string =>
  hash('sha256', JSON.stringify([operation, sorted(input)]), 'base64url');

/** Sorts the members of objects, so that equal inputs have equal hashes. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, member]) => [name, sorted(member)]);
}

/** The shortest time that an outcome is kept, in milliseconds. */
export const KEPT_MS = 600_000;
/** The largest stored value, in bytes of JSON. For larger ones only the success is stored. */
const LARGE_BYTES = 16_384;
const KEY_MAX_LENGTH = 256;

/** @throws {InputError} for an empty key, or one that is too long. */
export function checkKey(key: string): void {
  if (key !== '' && key.length <= KEY_MAX_LENGTH) return;
  throw new InputError(`An idempotencyKey has 1 to ${KEY_MAX_LENGTH} characters.`);
}

/** @throws {KeyReusedError} if a key was used before with another mutation. */
export function checkSame({ fingerprint }: Pick<NamedChange, 'fingerprint'>, known: unknown): void {
  if (known === fingerprint) return;
  throw new KeyReusedError(
    'This idempotencyKey was used for another mutation; use a new one for each mutation.',
  );
}

/**
 * Failures without an effect: the platform refused the change, or it was never sent. A repeat runs
 * it again.
 */
const REFUSED: readonly UpstreamFailure[] = [
  'cancelled',
  'forbidden',
  'not-found',
  'overloaded',
  'rate-limited',
  'rejected',
  'signed-out',
  'stopped',
  'unauthenticated',
  'unrecorded',
] as const;
/** Returns whether a failed change certainly had no effect. */
export function hasNotHappened(error: unknown): boolean {
  if (!(error instanceof UpstreamError))
    return error instanceof InputError || error instanceof CallLimitError;
  return error.isUnsent || error.operation === 'getToken' || REFUSED.includes(error.failure);
}

function toOutcome(result: unknown): ChangeOutcome {
  // A repeat gets only the ids of a record. It reads the fields with its own permissions.
  const done: ChangeOutcome = { is: 'done', value: toKey(result) };
  return sizeOf(done) > LARGE_BYTES ? { is: 'large' } : done;
}

/** Returns the outcome of a change that may have happened. */
export const unknownOutcome = (operation: string): ChangeOutcome => ({
  is: 'failed',
  failure: 'outcome-unknown',
  details: {
    operation,
    status: undefined,
    errorCode: undefined,
    retryAfterMs: undefined,
    isFinal: false,
  },
});

/**
 * Returns the result of a completed change.
 *
 * @throws {UpstreamError} a copy of the change's failure.
 * @throws {InputError} if the result was too large to store.
 */
function resultOf(outcome: ChangeOutcome): unknown {
  if (outcome.is === 'done') return outcome.value;
  if (outcome.is === 'failed') throw new UpstreamError(outcome.failure, outcome.details);
  throw new InputError(
    'The mutation with this idempotencyKey ran before, and its result was too large to store: read the record instead.',
  );
}

/** Returns the bytes of an outcome as JSON. Infinite if JSON cannot represent it. */
function sizeOf(outcome: ChangeOutcome): number {
  try {
    return Buffer.byteLength(JSON.stringify(outcome));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
