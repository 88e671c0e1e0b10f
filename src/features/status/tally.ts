import { LRUCache } from 'lru-cache';
import { UpstreamError } from '../../core/errors.ts';
import type { Observer } from '../../core/observers.ts';

/** Counts since the start, for the status page. */
export type Tally = ReturnType<typeof createTally>;

export interface Totals {
  /** To the platform, those that were sent. */
  calls: number;
  /** Reads without a full response. */
  readonly saved: { coalesced: number; not_modified: number; fresh: number; stale: number };
}

/** A kind of failure, and when it came last. */
export interface FailureCount {
  /** Where it happened: in a response, in a call to the platform, or in a call to a service of an extension. */
  readonly what: 'response' | 'platform' | 'service';
  /** The REST operation, or the extension's file; empty for a response. */
  readonly operation: string;
  /** A code, a status, or a failure. */
  readonly ended: string;
  readonly count: number;
  readonly lastAtMs: number;
}

/** How many kinds of failures are remembered; the least recent one goes first. */
const MAX_FAILURES = 50;

export function createTally() {
  const totals: Totals = { calls: 0, saved: { coalesced: 0, not_modified: 0, fresh: 0, stale: 0 } };
  /** Those to the platform that were sent, by caller and kind. */
  const callerCalls: Record<string, number> = {};
  const failures = new LRUCache<string, FailureCount>({ max: MAX_FAILURES });
  const fail = (what: FailureCount['what'], operation: string, ended: string): void => {
    const key = `${what} ${operation} ${ended}`;
    const count = (failures.get(key)?.count ?? 0) + 1;
    failures.set(key, { what, operation, ended, count, lastAtMs: Date.now() });
  };

  return {
    totals,
    callerCalls,
    /** The last failures, each kind once, the latest first. */
    failures: (): readonly FailureCount[] => [...failures.values()],
    observer: {
      refusal: (code) => fail('response', '', code),
      operation({ savings, codes }) {
        totals.saved.coalesced += savings.coalesced;
        totals.saved.not_modified += savings.not_modified;
        totals.saved.fresh += savings.fresh;
        totals.saved.stale += savings.stale;
        for (const code of codes) fail('response', '', String(code));
      },
      call({ name, target, caller, kind }) {
        const count = (ended: string, isUnsent = false) => {
          if (target === 'platform' && !isUnsent) {
            totals.calls++;
            const spender = `${caller}: ${kind}`;
            callerCalls[spender] = (callerCalls[spender] ?? 0) + 1;
          }
          if (!(Number(ended) < 400)) fail(target, name, ended);
        };
        return {
          end: ({ status }) => count(String(status)),
          fail: (error) => (error instanceof UpstreamError ? count(error.failure, error.isUnsent) : count('failed')),
        };
      },
    } satisfies Observer,
  };
}
