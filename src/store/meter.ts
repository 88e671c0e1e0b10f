import { type Clock, steadyClock } from './clock.ts';
import type { Entry } from './entry.ts';
import { createWitness, type Evidence, type Witness } from './evidence.ts';
import type { Mark } from './journal.ts';
import type { ResourceKey } from './resource.ts';

/** Ways to answer a read without a whole answer of the platform's. */
export interface Savings {
  /** Reads that waited for a call which somebody else had made already. */
  readonly coalesced: number;
  /** Calls that were answered by 304. */
  readonly notModified: number;
  /** Reads that needed no call: what they wanted was known to be true. */
  readonly fresh: number;
}

/** A read that was answered by an older copy, since asking failed. */
export interface StaleRead {
  /** As the interface spells it. */
  readonly operation: string;
  /** How long ago the copy was known to be true, in milliseconds. */
  readonly ageMs: number;
}

/** What an operation was told of one resource, or will be. */
interface Told {
  readonly mark: Mark;
  readonly answer: Promise<Entry>;
}

/**
 * Keeps account of one operation: what it asks of the upstream, and what it is told. What others had asked already costs it
 * nothing.
 */
export interface Meter extends Savings {
  /** How many calls were made so far, conditional ones included. */
  readonly calls: number;
  /** The same by operation, as the interface spells it. */
  readonly callsByOperation: ReadonlyMap<string, number>;
  /** How many may be made. */
  readonly maxCalls: number;
  /** When the operation began: what was found true since is true for it. */
  readonly beganAtMs: number;
  readonly stale: readonly StaleRead[];
  /** Until when all that was read serves without asking, in epoch milliseconds; infinite where nothing was read. */
  readonly trustedUntilMs: number;
  /** How long all that was read serves without asking, in milliseconds: 0 where some of it does not, or nothing was read. */
  readonly freshForMs: number;
  /** All that its answer rests on; `undefined` where something cannot be confirmed later: a failed read, a stale one. */
  readonly evidence: Evidence | undefined;
  /**
   * Told before each call, by its operation.
   *
   * @throws {BudgetError} when the call would be one more than the operation may make; it is not made then.
   */
  count(operation: string): void;
  tally(saving: keyof Savings): void;
  markStale(read: StaleRead): void;
  /** Told of each read until when it serves without asking. */
  trust(untilMs: number): void;
  /** What it was told already: nothing is asked twice in one operation, also what `Store.confirm` asked before it. */
  readonly told: Map<ResourceKey, Told>;
  readonly witness: Witness;
}

/** An operation has made as many calls as it may. Its message is meant for the client. */
export class BudgetError extends Error {
  override readonly name = 'BudgetError';

  constructor(maxCalls: number) {
    super(
      `This operation needs call ${maxCalls + 1} to the platform, and at most ${maxCalls} are allowed; it was not made.`,
    );
  }
}

/** Makes the meter of one operation, which begins now. */
export function createMeter(maxCalls = Number.POSITIVE_INFINITY, now: Clock = steadyClock): Meter {
  const witness = createWitness();
  const savings = { coalesced: 0, notModified: 0, fresh: 0 };
  const stale: StaleRead[] = [];
  const callsByOperation = new Map<string, number>();
  let trustedUntilMs = Number.POSITIVE_INFINITY;
  let calls = 0;
  return {
    maxCalls,
    beganAtMs: now(),
    stale,
    witness,
    told: new Map(),
    callsByOperation,
    get calls() {
      return calls;
    },
    get coalesced() {
      return savings.coalesced;
    },
    get notModified() {
      return savings.notModified;
    },
    get fresh() {
      return savings.fresh;
    },
    get trustedUntilMs() {
      return trustedUntilMs;
    },
    get freshForMs() {
      return Number.isFinite(trustedUntilMs) && witness.evidence() ? Math.max(0, trustedUntilMs - now()) : 0;
    },
    get evidence() {
      return witness.evidence();
    },
    count(operation) {
      if (calls >= maxCalls) throw new BudgetError(maxCalls);
      calls++;
      callsByOperation.set(operation, (callsByOperation.get(operation) ?? 0) + 1);
    },
    tally(saving) {
      savings[saving]++;
    },
    trust(untilMs) {
      trustedUntilMs = Math.min(trustedUntilMs, untilMs);
    },
    markStale(read) {
      stale.push(read);
      witness.spoil();
    },
  };
}
