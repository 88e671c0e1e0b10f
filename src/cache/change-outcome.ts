import { InputError, KeyReusedError, UpstreamError, type UpstreamFailure } from '../core/errors.ts';
import { CallLimitError } from '../core/work.ts';
import type { Claim } from '../upstream/call.ts';
import type { ScopeKey } from './scope.ts';

/** The outcome of a change, as it is stored. */
export type ChangeOutcome =
  | { readonly is: 'done'; readonly value?: unknown }
  /** The change is done; what it gave is not kept. */
  | { readonly is: 'large' }
  | { readonly is: 'failed'; readonly failure: UpstreamFailure; readonly details: FailureDetails };

type FailureDetails = Pick<UpstreamError, 'operation' | 'status' | 'errorCode' | 'retryAfterMs' | 'isFinal'>;

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
  throw new KeyReusedError('This idempotencyKey was used for another mutation; use a new one for each mutation.');
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
  if (!(error instanceof UpstreamError)) return error instanceof InputError || error instanceof CallLimitError;
  return error.isUnsent || error.operation === 'getToken' || REFUSED.includes(error.failure);
}

export function toOutcome(value: unknown): ChangeOutcome {
  const done: ChangeOutcome = { is: 'done', value };
  return sizeOf(done) > LARGE_BYTES ? { is: 'large' } : done;
}

/** The outcome of a change that may or may not have happened. */
export const unknownOutcome = (operation: string): ChangeOutcome => ({
  is: 'failed',
  failure: 'outcome-unknown',
  details: { operation, status: undefined, errorCode: undefined, retryAfterMs: undefined, isFinal: false },
});

/** The result of a change that has ended. @throws {UpstreamError} like the one that it threw. @throws {InputError} if it was too large. */
export function resultOf(outcome: ChangeOutcome): unknown {
  if (outcome.is === 'done') return outcome.value;
  if (outcome.is === 'failed') throw new UpstreamError(outcome.failure, outcome.details);
  throw new InputError(
    'The mutation with this idempotencyKey ran before, and its result was too large to store: read the record instead.',
  );
}

/** Gives how many bytes the JSON of an outcome has; one that JSON cannot say is taken to be large. */
export function sizeOf(outcome: ChangeOutcome): number {
  try {
    return Buffer.byteLength(JSON.stringify(outcome));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
