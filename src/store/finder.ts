import { UpstreamError, type UpstreamFailure } from '../upstream/errors.ts';
import type { Upstream } from '../upstream/index.ts';
import { createCoalescer } from './coalescer.ts';
import type { Depot } from './depot.ts';
import type { Entry } from './entry.ts';
import type { Mark } from './journal.ts';
import type { Knowledge } from './knowledge.ts';
import type { Meter } from './meter.ts';
import { ask, type Wanted } from './wanted.ts';

/** Who wants something: one operation, until its signal aborts. */
export interface Seeker {
  readonly signal: AbortSignal;
  readonly meter: Meter;
}

/** Finds out what resources hold now, by the fewest calls: none where it is known, one for all who ask at once. */
export interface Finder {
  /**
   * @throws {UpstreamError} as the upstream does.
   * @throws {BudgetError} where the operation may make no more calls.
   */
  find(wanted: Wanted, seeker: Seeker): Promise<Entry>;
}

interface FinderOptions {
  readonly upstream: Upstream;
  readonly depot: Depot;
  readonly knowledge: Knowledge;
}

/** Makes the finder of one scope. */
export function createFinder({ upstream, depot, knowledge }: FinderOptions): Finder {
  const { journal, windows, now, secondLevel } = depot;
  const coalescer = createCoalescer(journal);

  const call = async (
    wanted: Wanted,
    held: Entry | undefined,
    signal: AbortSignal,
    mark: Mark,
  ): Promise<CallOutcome> => {
    const trueAtMs = now();
    try {
      const { isNotModified, ...reading } = await ask(upstream, wanted.question, { signal, held });
      const entry = { ...reading, trueAtMs, mark, isFirstHand: true };
      knowledge.learn(wanted, entry);
      return { entry, isNotModified };
    } catch (error) {
      if (isOneOf(SHUT_OUT, error)) knowledge.forgetAll();
      else if (isOneOf(REFUSED, error)) knowledge.forget(wanted);
      throw error;
    }
  };

  const askOrJoin = async (wanted: Wanted, held: Entry | undefined, { signal, meter }: Seeker): Promise<Entry> => {
    let isOwn = false;
    const counted = (shared: AbortSignal, mark: Mark) => {
      meter.count(wanted.operation);
      isOwn = true;
      return call(wanted, held, shared, mark);
    };
    const { entry, isNotModified } = await coalescer.join(wanted, counted, signal);
    if (!isOwn) meter.tally('coalesced');
    else if (isNotModified) meter.tally('notModified');
    return entry;
  };

  const orStale = (wanted: Wanted, { signal, meter }: Seeker, error: unknown): Entry => {
    const entry = knowledge.recall(wanted);
    const ageMs = now() - (entry?.trueAtMs ?? 0);
    const isUsable = ageMs <= windows.staleIfFailed && isOneOf(PASSING, error) && !signal.aborted;
    if (entry === undefined || windows.staleIfFailed === 0 || !isUsable) throw error;
    meter.markStale({ operation: wanted.operation, ageMs: Math.max(0, Math.round(ageMs)) });
    return entry;
  };

  const findAnew = async (wanted: Wanted, seeker: Seeker): Promise<Entry> => {
    const near = knowledge.recall(wanted);
    const isNearTrue = near !== undefined && knowledge.isTrue(wanted, near, seeker.meter);
    const known = isNearTrue || secondLevel === undefined ? near : await knowledge.recallFurther(wanted);
    if (known !== undefined && knowledge.isTrue(wanted, known, seeker.meter)) {
      seeker.meter.tally('fresh');
      return known;
    }
    return askOrJoin(wanted, known, seeker).catch((error: unknown) => orStale(wanted, seeker, error));
  };

  return {
    find(wanted, seeker) {
      const { told } = seeker.meter;
      const known = told.get(wanted.key);
      if (known !== undefined && !journal.isTouched(wanted.areas, known.mark)) return known.answer;
      const answer = findAnew(wanted, seeker);
      told.set(wanted.key, { mark: journal.mark(), answer });
      return answer;
    },
  };
}

interface CallOutcome {
  readonly entry: Entry;
  readonly isNotModified: boolean;
}

/** The caller is not known to the platform, or not any more. */
const SHUT_OUT: readonly UpstreamFailure[] = ['signed-out', 'unauthenticated'];
/** The platform would not give it to this caller any more. */
const REFUSED: readonly UpstreamFailure[] = ['forbidden', 'not-found', 'rejected'];
/** Failures that say nothing of what was asked; a refusal does. */
const PASSING: readonly UpstreamFailure[] = ['failed', 'rate-limited', 'timeout', 'unavailable'];

const isOneOf = (failures: readonly UpstreamFailure[], error: unknown): boolean =>
  error instanceof UpstreamError && failures.includes(error.failure);
