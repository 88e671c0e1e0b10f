import { hash } from 'node:crypto';
import {
  InputError,
  isOneOf,
  KeyReusedError,
  UpstreamError,
  type UpstreamFailure,
} from '../core/errors.ts';
import { FairShare } from '../core/fair-share.ts';
import { CallLimitError } from '../core/work.ts';
import type { Claim } from '../upstream/call.ts';
import { toKey } from '../upstream/operations.ts';
import type { ScopeKey } from './scope-key.ts';

/** The outcome of a change, as it is stored. */
export type ChangeOutcome =
  | { readonly is: 'done'; readonly value?: unknown }
  /** The change is done; what it gave is not kept. */
  | { readonly is: 'large' }
  | { readonly is: 'failed'; readonly failure: UpstreamFailure; readonly details: FailureDetails };

type FailureDetails = Pick<
  UpstreamError,
  'operation' | 'status' | 'errorCode' | 'retryAfterMs' | 'isFinal'
> &
  Partial<Pick<UpstreamError, 'advice'>>;

/** A change by its caller and key. */
export interface NamedChange {
  readonly operation: string;
  /** The client's own. */
  readonly key: string;
  readonly caller: ScopeKey;
  /** Equal for equal mutations. */
  readonly fingerprint: string;
}

/** One run of a change that other replicas may be asked for as well. */
export interface SharedRun extends Claim {
  /**
   * Looks up the outcome of the change elsewhere: `undefined` where nobody has made it, and unknown where that takes too long.
   *
   * @throws {InputError} when the key stands for another change.
   */
  find(): Promise<ChangeOutcome | undefined>;
  /** Leaves the outcome to the others; `undefined` where the change certainly had no effect. Never throws. */
  settle(outcome: ChangeOutcome | undefined): Promise<void>;
}

/** A mutation as the client sent it. */
interface KeyedChange {
  readonly operation: string;
  /** The client's own name for this change; the same one means the same change. */
  readonly key: string;
  readonly input: unknown;
}

/** The outcomes of all callers' changes, bounded together. */
export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;
/** Keeps one caller's second try from having a second effect. */
export type Idempotency = ReturnType<IdempotencyStore['forCaller']>;

/** Begins a run that replicas share. */
export type ShareRun = (change: NamedChange) => SharedRun;

interface IdempotencyOptions {
  /** Absent where changes are one process's own. */
  readonly share?: ShareRun | undefined;
  /** How long outcomes are kept, in milliseconds. */
  readonly keptMs?: number;
  readonly maxBytes?: number;
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number;
}

const MAX_BYTES = 16 * 1024 * 1024;
/** The part of it that one caller may have. */
const CALLER_SHARE = 0.5;
/** The bookkeeping of an outcome, and an error, take about so much. */
const OUTCOME_BYTES = 1_500;
/** A value takes about so much for each byte of its JSON. */
const BYTES_PER_BYTE = 4;
/** Makes the store of one process. */
export function createIdempotencyStore(options: IdempotencyOptions = {}) {
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
  /** Makes a change that this process has not made, unless another replica was first to claim it: then its outcome is the one. */
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
    // A caller's key is a hash, so that no two pairs read the same.
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
    /** Returns the results kept for a caller, the same however often they come with another credential. */
    forCaller: (caller: ScopeKey) => ({
      /**
       * Runs a write once for its key, and returns the first outcome to every repeat while that is kept, also when it failed
       * or is unknown; of a record its ids. A repeat during the run waits for it. A write that certainly had no effect is removed.
       *
       * @param execute makes the write, with the claim that it needs where replicas share their changes.
       * @throws {InputError} when the key stands for another change, and for a second try whose first outcome was too large to
       *   keep: the change was made, and is not made again.
       */
      run: <T>(change: KeyedChange, execute: Execute<T>): Promise<T> =>
        runKeyed(caller, change, execute),
    }),
    /** About how much memory is taken. */
    bytes: kept.bytes,
  };
}

type Execute<T> = (claim?: Claim) => Promise<T>;

interface Kept extends Pick<NamedChange, 'fingerprint'> {
  readonly outcome: ChangeOutcome;
  readonly bytes: number;
  readonly untilMs: number;
}

/**
 * Keeps outcomes for so long. Beyond their share, callers lose their own oldest; beyond the limit, the one with the most does: no
 * caller can evict another's.
 */
function createOutcomes(keptMs: number, maxBytes: number, now: () => number) {
  /** By caller and key, the oldest first. */
  const callers = new Map<ScopeKey, Map<string, Kept>>();
  const bytes = new FairShare(maxBytes, maxBytes * CALLER_SHARE);

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
  /** Whose oldest outcome has to go, now that one of this caller's has come. */
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

/** Failures of the request itself, which say nothing about the write. */
const GIVEN_UP: readonly UpstreamFailure[] = ['cancelled', 'signed-out'];

/** The outcome that is kept of a failure: not the error itself, whose stack holds the functions, and with them the request, that met it. */
function toFailure(error: unknown, operation: string): ChangeOutcome | undefined {
  if (hasNotHappened(error)) return undefined;
  if (!(error instanceof UpstreamError)) return unknownOutcome(operation);
  const { failure, status, errorCode, advice, retryAfterMs, isFinal } = error;
  const details = { operation, status, errorCode, advice, retryAfterMs, isFinal };
  return { is: 'failed', failure, details };
}

const fingerprintOf = ({ operation, input }: KeyedChange): string =>
  hash('sha256', JSON.stringify([operation, sorted(input)]), 'base64url');

/** Two inputs that say the same are the same, in whatever order their members come. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, member]) => [name, sorted(member)]);
}

/** How long an outcome is kept at least. */
export const KEPT_MS = 600_000;
/** A larger value is not kept, only that its change is done; in bytes of JSON. */
const LARGE_BYTES = 16_384;
const KEY_MAX_LENGTH = 256;

/** @throws {InputError} for a key that is too long, or empty. */
export function checkKey(key: string): void {
  if (key !== '' && key.length <= KEY_MAX_LENGTH) return;
  throw new InputError(`An idempotencyKey has 1 to ${KEY_MAX_LENGTH} characters.`);
}

/** @throws {KeyReusedError} where a key has come with another mutation before. */
export function checkSame({ fingerprint }: Pick<NamedChange, 'fingerprint'>, known: unknown): void {
  if (known === fingerprint) return;
  throw new KeyReusedError(
    'This idempotencyKey was used for another mutation; use a new one for each mutation.',
  );
}

/** Failures of a change that the platform refused before it acted, or that was never sent. A repeat meets a refusal again. */
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
/** Whether a change that failed certainly had no effect. */
export function hasNotHappened(error: unknown): boolean {
  if (!(error instanceof UpstreamError))
    return error instanceof InputError || error instanceof CallLimitError;
  return error.isUnsent || error.operation === 'getToken' || REFUSED.includes(error.failure);
}

function toOutcome(result: unknown): ChangeOutcome {
  // A repeat has the ids of a record, by which it reads what it may.
  const done: ChangeOutcome = { is: 'done', value: toKey(result) };
  return sizeOf(done) > LARGE_BYTES ? { is: 'large' } : done;
}

/** The outcome of a change that may or may not have happened. */
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

/** The result of a change that has ended. @throws {UpstreamError} like the one that it threw. @throws {InputError} if it was too large. */
function resultOf(outcome: ChangeOutcome): unknown {
  if (outcome.is === 'done') return outcome.value;
  if (outcome.is === 'failed') throw new UpstreamError(outcome.failure, outcome.details);
  throw new InputError(
    'The mutation with this idempotencyKey ran before, and its result was too large to store: read the record instead.',
  );
}

/** Gives how many bytes the JSON of an outcome has; one that JSON cannot say is taken to be large. */
function sizeOf(outcome: ChangeOutcome): number {
  try {
    return Buffer.byteLength(JSON.stringify(outcome));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
