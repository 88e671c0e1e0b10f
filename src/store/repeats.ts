import { createHash } from 'node:crypto';

import { InputError, UpstreamError } from '../upstream/errors.ts';
import { BudgetError } from './meter.ts';

/** A change as a client asks for it. */
export interface AskedChange {
  readonly operation: string;
  /** The client's own name for this change; the same one means the same change. */
  readonly key: string;
  /** All that the client asks for. */
  readonly input: unknown;
}

/** Keeps a client's own second try from having a second effect. */
export interface Repeats {
  /**
   * Runs a change once for its key, and gives whoever asks again within ten minutes the first outcome, also when it failed
   * or is unknown. Who asks while it is under way waits for it. A change that has certainly not happened is forgotten.
   *
   * @throws {InputError} when the key stands for another change.
   */
  once<T>(asked: AskedChange, change: () => Promise<T>): Promise<T>;
}

interface RepeatsOptions {
  /** The clock, in epoch milliseconds. */
  readonly now?: () => number;
  /** How many changes are remembered; the oldest is forgotten first. */
  readonly max?: number;
}

interface Remembered {
  readonly fingerprint: string;
  readonly outcome: () => Promise<unknown>;
  readonly sinceMs: number;
}

/** How long a change is remembered. */
export const REMEMBERED_MS = 600_000;
const REMEMBERED_AT_MOST = 10_000;
const KEY_MAX_LENGTH = 256;

/** Makes the memory of one caller's changes, in this process. */
export function createRepeats({ now = Date.now, max = REMEMBERED_AT_MOST }: RepeatsOptions = {}): Repeats {
  const remembered = new Map<string, Remembered>();

  const forgetOld = () => {
    for (const [key, { sinceMs }] of remembered) {
      if (remembered.size <= max && now() - sinceMs < REMEMBERED_MS) return;
      remembered.delete(key);
    }
  };
  const begin = <T>(key: string, fingerprint: string, change: () => Promise<T>): Promise<T> => {
    const outcome = change();
    const entry: Remembered = { fingerprint, outcome: () => outcome, sinceMs: now() };
    remembered.set(key, entry);
    forgetOld();
    const isHeld = () => remembered.get(key) === entry;
    outcome.then(
      (value) => {
        if (isHeld() && isLarge(value)) remembered.set(key, { ...entry, outcome: tooLarge });
      },
      (error: unknown) => {
        if (hasNotHappened(error) && isHeld()) remembered.delete(key);
      },
    );
    return outcome;
  };

  const once = async <T>(asked: AskedChange, change: () => Promise<T>): Promise<T> => {
    const { key } = asked;
    if (key === '' || key.length > KEY_MAX_LENGTH) {
      throw new InputError(`An idempotencyKey has 1 to ${KEY_MAX_LENGTH} characters.`);
    }
    forgetOld();
    const fingerprint = fingerprintOf(asked);
    const known = remembered.get(key);
    if (known === undefined) return begin(key, fingerprint, change);
    if (known.fingerprint !== fingerprint) {
      throw new InputError('This idempotencyKey was used for another change; take a new one for each change.');
    }
    return known.outcome().catch((error: unknown) => {
      // The one who asked first has gone before anything was sent, or may not any more; who still waits asks in their place.
      if (isGivenUp(error)) return once(asked, change);
      throw error;
    }) as Promise<T>;
  };
  return { once };
}

/** So much of a value's JSON is kept, in characters; of a larger one only that its change is done. */
const LARGE_LENGTH = 16_384;

const isLarge = (value: unknown): boolean => (JSON.stringify(value)?.length ?? 0) > LARGE_LENGTH;

// Made when it is asked for: an error's stack holds on to what the functions in it were given, the value among it.
async function tooLarge(): Promise<never> {
  throw new InputError('The change with this idempotencyKey was made before, and its result was too large to keep.');
}

/** Failures of whoever asked, that say nothing of the change. */
const GIVEN_UP: readonly string[] = ['cancelled', 'signed-out'];

const isGivenUp = (error: unknown): boolean => error instanceof UpstreamError && GIVEN_UP.includes(error.failure);

/** Failures of a change that the platform refused before it acted, or that was never sent. */
const REFUSED: readonly string[] = [
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

function fingerprintOf({ operation, input }: AskedChange): string {
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
