import { LRUCache } from 'lru-cache';

import type { ScopeKey } from './scope-key.ts';

/** The sessions that ended before their expiry. */
export interface EndedSessions {
  /** Returns whether this process knows that a session has ended. */
  has(session: ScopeKey): boolean;
  /** Returns whether a session has ended. Looks it up once at the other replicas. */
  find(session: ScopeKey): Promise<boolean>;
  /** Adds a listener for sessions whose end this process learns. */
  onEnded(listener: (session: string) => void): void;
  /**
   * Ends a session for this many milliseconds. 0 revokes that. Resolves when it is published.
   * Never rejects.
   */
  end(session: ScopeKey, restMs: number): Promise<void>;
}

/** Shares ended sessions between replicas. */
export interface SharedEndings {
  /** Publishes an ended session to all replicas, including later ones. Never rejects. */
  publish(session: string, restMs: number): Promise<void>;
  /**
   * Returns how long a session remains ended, in milliseconds; 0 if it has not ended. Rejects if
   * this is unknown at the moment.
   */
  find(session: string): Promise<number>;
  /**
   * Calls `onEnded` for each session that another replica publishes, and `onMissed` if some may
   * have been missed.
   */
  subscribe(onEnded: (session: string, restMs: number) => void, onMissed: () => void): void;
}

/**
 * The highest number of sessions in memory. The oldest is evicted first. A limit by size, because
 * `max` would allocate 3 MB per cache at once.
 */
const BOUND = { maxSize: 100_000, sizeCalculation: () => 1 };

/** Creates the ended sessions of one process. */
export function createEndedSessions(shared?: SharedEndings): EndedSessions {
  const ended = new LRUCache<string, true>(BOUND);
  /** Sessions that were looked up. The other replicas publish when one of these ends. */
  const seen = new LRUCache<string, true>(BOUND);
  const listeners: ((session: string) => void)[] = [];
  const note = (session: string, restMs: number): void => {
    if (restMs <= 0) {
      ended.delete(session);
      return;
    }
    ended.set(session, true, { ttl: Math.ceil(restMs) });
    for (const listener of listeners) listener(session);
  };
  shared?.subscribe(note, () => seen.clear());

  return {
    has: (session) => ended.has(session),
    async find(session) {
      if (ended.has(session)) return true;
      if (shared === undefined || seen.has(session)) return false;
      const restMs = await shared.find(session).catch(() => undefined);
      if (restMs !== undefined) seen.set(session, true);
      if (restMs) note(session, restMs);
      return ended.has(session);
    },
    onEnded: (listener) => void listeners.push(listener),
    async end(session, restMs) {
      note(session, restMs);
      await shared?.publish(session, restMs);
    },
  };
}
