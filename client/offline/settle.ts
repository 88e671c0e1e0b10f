import { codesOf, errorsOf, isOutcomeUnknown, isRetryable, type ResponseError } from '../errors.ts';
import type { OfflineCall, Problem, QueuedChange, SentChange } from './change.ts';

/** A change with its outcome, and the change to store. `undefined` removes it from the queue. */
export interface Settled extends Omit<SentChange, 'outcome'> {
  /** `again`: it is sent by the same flush. */
  readonly outcome: SentChange['outcome'] | 'again';
  readonly kept?: QueuedChange | undefined;
}

/** Codes of failures that may have one change as their reason. */
const FAILURE = /^UPSTREAM_(ERROR|TIMEOUT)$/;
/** Codes of input that the gateway refuses before it sends a change. */
const INVALID = /^((BAD_USER_INPUT|COST_EXCEEDED),?)+$/;

/**
 * Settles a change by the error of its call.
 *
 * @param change the change before this attempt. If an earlier attempt may have had an effect, it has
 *   the call.
 * @param call the call of this attempt, if it may have had an effect.
 * @param maxAttempts how often the platform may fail to respond to it.
 */
export function settleError(
  change: QueuedChange,
  call: OfflineCall | undefined,
  error: unknown,
  maxAttempts: number,
): Settled {
  const outcome = outcomeOf(change, error);
  if (outcome === 'done') return { change, outcome };
  const isShared = !change.call && call && call.size > 1;
  // Nothing was sent, and another item may be the reason.
  if (isShared && isInvalid(error)) return again({ ...change, isAlone: true });
  if (outcome !== 'waiting') return setAside(change, outcome, error);

  const attempts = change.attempts + (isFailure(error) ? 1 : 0);
  const kept = { ...change, attempts, call: isOutcomeUnknown(error) ? call : change.call };
  if (attempts < maxAttempts) return wait(kept, error);
  return setAside(kept, kept.call ? 'unknown' : 'failing', error);
}

function outcomeOf(change: QueuedChange, error: unknown): SentChange['outcome'] {
  const errors = errorsOf(error);
  const codes = codesOf(error);
  if (errors.some(({ extensions }) => extensions?.written)) return 'done';
  if (codes.includes('CONFLICT')) return 'conflict';
  if (codes.includes('OUTCOME_UNKNOWN')) return 'unknown';
  // The person may sign in again.
  const isForLater = codes.includes('UNAUTHENTICATED') || isRetryable(error, 'keyed-write');
  if (isForLater || errors.length === 0) return 'waiting';
  // An earlier attempt may have had an effect.
  return change.call && !isInvalid(error) ? 'unknown' : 'refused';
}

const isInvalid = (error: unknown): boolean => INVALID.test(codesOf(error).join());

/** Returns whether the change may be the reason of a failure. */
function isFailure(error: unknown): boolean {
  const [code] = codesOf(error);
  return code ? FAILURE.test(code) : !isRetryable(error, 'keyed-write');
}

/**
 * Settles changes by the data of their mutation.
 *
 * @throws `LOST` if the data has no payload.
 */
export function settleData(
  group: readonly QueuedChange[],
  data: unknown,
  maxAttempts: number,
): readonly Settled[] {
  const [payload] = Object.values(data ?? {}).filter((field) => field != null);
  if (!payload) throw LOST;
  const results: readonly (ItemResult | undefined)[] = payload.results ?? [];
  return group.map((change, index) => {
    if (!change.isItem) return { change, outcome: 'done', data };
    return settleItem(change, results[index], maxAttempts);
  });
}

/** The result of an item of a bulk write. */
interface ItemResult {
  readonly status: 'DONE' | 'FAILED' | 'UNKNOWN' | 'NOT_SENT';
  readonly error?: { readonly message?: string } | null;
}

function settleItem(
  change: QueuedChange,
  result: ItemResult | undefined,
  maxAttempts: number,
): Settled {
  const { message, ...extensions } = { ...LOST, ...result?.error };
  const error = { message, extensions };
  const unsent = { ...change, call: undefined };
  switch (result?.status) {
    case 'DONE':
      return { change, outcome: 'done', data: result };
    case 'NOT_SENT':
      return wait(unsent, error);
    case 'FAILED':
      return settleError(unsent, undefined, error, maxAttempts);
    default:
      return setAside(change, 'unknown', error);
  }
}

/** The error of a change without a result. */
const LOST = { message: 'Its response was lost.' };

export const wait = (change: QueuedChange, error?: unknown): Settled => ({
  change,
  outcome: 'waiting',
  kept: change,
  error,
});

/** Stores a change for the next call of the same flush. */
export const again = (change: QueuedChange): Settled => ({
  change,
  outcome: 'again',
  kept: change,
});

/** Sets a change aside. If a person sends it again, it has a new key. */
export function setAside(
  change: QueuedChange,
  kind: Problem['kind'],
  error: unknown = LOST,
): Settled {
  // A storage may not be able to copy the errors of a library.
  const errors = errorsOf(error).map(({ message, extensions }) => ({ message, extensions }));
  const [{ message, extensions } = error as Partial<ResponseError>] = errors;
  const problem = { kind, message: String(message), current: extensions?.['current'], errors };
  return { change, outcome: kind, kept: { ...change, call: undefined, problem }, error };
}
