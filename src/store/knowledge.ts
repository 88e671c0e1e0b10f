import { fixedContent } from './content.ts';
import type { Depot } from './depot.ts';
import type { Entry, Kept } from './entry.ts';
import { isAbsent } from './held.ts';
import type { Meter } from './meter.ts';
import type { Owner } from './ports.ts';
import type { ScopeKey } from './scopes.ts';
import type { Wanted } from './wanted.ts';

/** What one caller knows of the upstream, and how well. */
export interface Knowledge {
  /** Gives what is known, unless it was touched since; also from the second level, where that may tell something newer. */
  recall(wanted: Wanted): Entry | undefined;
  recallFurther(wanted: Wanted): Promise<Entry | undefined>;
  /** Whether an entry is known to be true now, or was found true since the operation began. */
  isTrue(wanted: Wanted, entry: Entry, meter: Meter): boolean;
  /** Until when an entry is known to be true, whatever is changed by way of the gateway: only definitions are. */
  trueUntilMs(wanted: Wanted, entry: Entry): number;
  /** Takes in what the platform just told this caller, unless it was touched meanwhile. */
  learn(wanted: Wanted, entry: Entry): void;
  /** Forgets one resource, which this caller may not see any more. */
  forget(wanted: Wanted): void;
  /** Forgets all, as of a caller whom the platform does not let in any more. */
  forgetAll(): void;
}

/** Makes the knowledge of one scope. */
export function createKnowledge(depot: Depot, scopeKey: ScopeKey): Knowledge {
  const { journal, windows, memory, secondLevel, now } = depot;
  const own = memory.shelf();
  // Until the platform has answered this caller, nobody can say that they may see what it showed to others.
  let isLetIn = false;
  /** Since the platform has let nobody in, what it told before is no answer, wherever it is kept. */
  let isShutOut = false;

  const isShared = ({ freshness }: Wanted) => isLetIn && freshness === 'definitions';
  const shelfOf = (wanted: Wanted) => (isShared(wanted) && depot.common) || own;
  const ownerOf = (wanted: Wanted): Owner => (shelfOf(wanted) === own ? scopeKey : 'everybody');

  const recall = (wanted: Wanted) => {
    const entry = shelfOf(wanted).get(wanted.key);
    return entry === undefined || journal.isTouched(wanted.areas, entry.mark) ? undefined : entry;
  };

  /** Whether others are served by it: that something is still true is worth nothing where it is asked again anyway. */
  const isNews = (wanted: Wanted, { version, validator }: Entry) => {
    const known = recall(wanted);
    const isTimed = windows[wanted.freshness] > 0 || windows.staleIfFailed > 0;
    return isTimed || known?.version !== version || known.validator !== validator;
  };

  return {
    recall,
    async recallFurther(wanted) {
      const known = recall(wanted);
      if (secondLevel === undefined || isShutOut || (known !== undefined && windows[wanted.freshness] === 0))
        return known;
      const mark = journal.mark();
      const kept = await secondLevel.get(ownerOf(wanted), wanted);
      const newest = recall(wanted);
      if (kept === undefined || kept.trueAtMs <= (newest?.trueAtMs ?? 0) || journal.isTouched(wanted.areas, mark)) {
        return newest;
      }
      // By a clock that is ahead of this one, nobody can say how old it is.
      const trueAtMs = kept.trueAtMs > now() ? 0 : kept.trueAtMs;
      const { record, ...rest } = kept;
      const entry = { ...rest, content: fixedContent(record), trueAtMs, mark, isFirstHand: false };
      shelfOf(wanted).set(wanted.key, entry);
      return entry;
    },
    isTrue({ freshness }, { trueAtMs, isFirstHand }, { beganAtMs }) {
      return (isFirstHand && trueAtMs > beganAtMs) || now() - trueAtMs < windows[freshness];
    },
    trueUntilMs: ({ freshness }, { trueAtMs }) => (freshness === 'definitions' ? trueAtMs + windows.definitions : 0),
    learn(wanted, entry) {
      isLetIn = true;
      isShutOut = false;
      // That an instance is not there may end by a change that names another, or none: it is not kept.
      if (isAbsent(entry) && wanted.freshness === 'instances') return own.delete(wanted.key);
      if (journal.isTouched(wanted.areas, entry.mark)) return;
      // What one caller cannot find, another may.
      if (isAbsent(entry)) return own.set(wanted.key, entry);
      if (secondLevel !== undefined && isNews(wanted, entry)) {
        secondLevel.set(ownerOf(wanted), wanted, keptOf(entry));
      }
      shelfOf(wanted).set(wanted.key, entry);
    },
    forget(wanted) {
      own.delete(wanted.key);
      secondLevel?.drop(scopeKey, wanted);
    },
    forgetAll() {
      isLetIn = false;
      isShutOut = true;
      own.clear();
    },
  };
}

const keptOf = ({ mark: _mark, isFirstHand: _isFirstHand, content, ...rest }: Entry): Kept => ({
  ...rest,
  record: content.peek(),
});
