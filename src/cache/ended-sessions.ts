import { LRUCache } from 'lru-cache';

import type { ScopeKey } from './scope-key.ts';

/** Sessions that have ended before their time. */
export type EndedSessions = ReturnType<typeof createEndedSessions>;

/** How replicas tell each other of sessions. */
export interface SharedEndings {
  /** Tells the others, also those that start later. Never rejects. */
  publish(session: string, restMs: number): Promise<void>;
  /** For how many milliseconds a session has ended; 0 for one that has not. Rejects where that cannot be known now. */
  find(session: string): Promise<number>;
  /** Calls back with what others publish, and where some of it was missed. */
  subscribe(onEnded: (session: string, restMs: number) => void, onMissed: () => void): void;
}

/** How many sessions are remembered; the oldest is evicted first. By size: for a `max` all room is made at once, 3 MB for each cache. */
const BOUND = { maxSize: 100_000, sizeCalculation: () => 1 };

/** Makes the memory of one process. */
export function createEndedSessions(shared?: SharedEndings) {
  const ended = new LRUCache<string, true>(BOUND);
  /** Of these the others will tell. */
  const seen = new LRUCache<string, true>(BOUND);
  const listeners: ((session: string) => void)[] = [];
  const note = (session: string, restMs: number): void => {
    if (restMs <= 0) return void ended.delete(session);
    ended.set(session, true, { ttl: Math.ceil(restMs) });
    for (const listener of listeners) listener(session);
  };
  shared?.subscribe(note, () => seen.clear());

  return {
    /** Whether this process knows of it. */
    has: (session: ScopeKey) => ended.has(session),
    /** The same, after the other replicas were asked once. */
    async find(session: ScopeKey): Promise<boolean> {
      if (shared === undefined || ended.has(session) || seen.has(session))
        return ended.has(session);
      const restMs = await shared.find(session).catch(() => undefined);
      if (restMs !== undefined) seen.set(session, true);
      if (restMs) note(session, restMs);
      return ended.has(session);
    },
    /** Calls back when this process learns that one has ended. */
    onEnded: (listener: (session: string) => void) => void listeners.push(listener),
    /** Ends a session for so many milliseconds, which 0 takes back. Resolves when the others can know; never rejects. */
    async end(session: ScopeKey, restMs: number): Promise<void> {
      note(session, restMs);
      await shared?.publish(session, restMs);
    },
  };
}
