import { LRUCache } from 'lru-cache';

import { createRepeats, REMEMBERED_MS, type Repeats } from './repeats.ts';
import type { ScopeKey } from './scopes.ts';

/** Gives the memory of a caller's changes: the same one however often they come with another credential. */
export type RepeatsByCaller = (caller: ScopeKey) => Repeats;

/**
 * Makes the memories of callers whom more than their credential tells apart. One is kept for as long as what is in it counts.
 *
 * @param max how many callers are remembered; the one who changed nothing for longest is forgotten first.
 */
export function createRepeatsByCaller(max: number): RepeatsByCaller {
  const memories = new LRUCache<ScopeKey, Repeats>({ max, ttl: REMEMBERED_MS });

  return (caller) => ({
    once(asked, change) {
      const memory = memories.get(caller) ?? createRepeats();
      // Put in anew, so that it ends after what was changed last.
      memories.set(caller, memory);
      return memory.once(asked, change);
    },
  });
}
