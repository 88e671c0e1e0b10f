import { type Area, areasOf, type Touched } from './touched.ts';

/** A moment between two changes. */
export type Mark = number;

/** Remembers which areas were touched when, so that what was asked before answers nobody afterwards. */
export interface Journal {
  /** Gives the present moment. */
  mark(): Mark;
  touch(touched: Touched): void;
  /** Whether one of these areas was touched after that moment, or may have been. */
  isTouched(areas: readonly Area[], since: Mark): boolean;
}

/**
 * Makes the journal of one process. All scopes share it: what one caller changes, others may see.
 *
 * @param max how many areas are remembered; of those that are forgotten, all is taken to be touched until then.
 */
export function createJournal(max = 10_000): Journal {
  const touchedAt = new Map<Area, Mark>();
  let latest: Mark = 0;
  let forgottenUntil: Mark = 0;

  const forgetOldest = () => {
    const [oldest] = touchedAt;
    if (oldest === undefined) return;
    touchedAt.delete(oldest[0]);
    forgottenUntil = oldest[1];
  };

  return {
    mark: () => latest,
    touch(touched) {
      latest++;
      for (const area of areasOf(touched)) {
        // Put in anew, so that the map's order is that of time.
        touchedAt.delete(area);
        touchedAt.set(area, latest);
      }
      while (touchedAt.size > max) forgetOldest();
    },
    isTouched(areas, since) {
      if (areas.length === 0 || since === latest) return false;
      return forgottenUntil > since || areas.some((area) => (touchedAt.get(area) ?? 0) > since);
    },
  };
}
