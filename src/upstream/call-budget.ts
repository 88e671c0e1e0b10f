import { UpstreamError } from './errors.ts';
import type { Send } from './http.ts';

/** What a call is counted as. */
export type CallKind = 'read' | 'write' | 'sign-in';

/** How many calls the gateway may make. Shared by all callers: the limit is the API's. */
export interface CallBudget {
  /**
   * Takes one call. Gives 0 when it may be made, or how long until the next one may be, in milliseconds.
   *
   * @param caller whose call it is; `undefined` for the gateway itself, which may use all of it.
   */
  take(kind: CallKind, caller: string | undefined): number | Promise<number>;
}

/** The length of a window, in milliseconds. */
export const WINDOW_MS = 10_000;
const WINDOWS_PER_MINUTE = 6;
const SHARES: Readonly<Record<CallKind, number>> = { read: 0.8, write: 0.1, 'sign-in': 0.1 };

/** Gives how many calls of a kind may be made within one window: at least one, of a small budget too. */
export function callsPerWindow(callsPerMinute: number, kind: CallKind): number {
  return Math.max(1, Math.floor((callsPerMinute / WINDOWS_PER_MINUTE) * SHARES[kind]));
}

/** Gives how many of them one caller may make. */
export const callsOfOneCaller = (calls: number): number => Math.max(1, Math.floor(calls / 2));

/** Gives the shares that a call may be counted in, in this order: a change that finds its own used up takes from the reads'. */
export const sharesFor = (kind: CallKind): readonly CallKind[] => (kind === 'write' ? ['write', 'read'] : [kind]);

/**
 * Makes the budget of a gateway that is alone: fixed windows of ten seconds, each from its first call on, with a sixth of the
 * budget. Any 60 seconds touch at most seven windows, so that at most 7/6 of the budget are used within a minute.
 */
export function createCallBudget(callsPerMinute: number, now: () => number = () => performance.now()): CallBudget {
  let endsAtMs = Number.NEGATIVE_INFINITY;
  const used = new Map<string, number>();

  const takeFrom = (share: CallKind, caller: string | undefined): boolean => {
    const limit = callsPerWindow(callsPerMinute, share);
    const limits: readonly (readonly [key: string, limit: number])[] = [
      [share, limit],
      ...(caller === undefined ? [] : [[`${share} ${caller}`, callsOfOneCaller(limit)] as const]),
    ];
    if (limits.some(([key, most]) => (used.get(key) ?? 0) >= most)) return false;
    for (const [key] of limits) used.set(key, (used.get(key) ?? 0) + 1);
    return true;
  };

  return {
    take(kind, caller) {
      if (now() >= endsAtMs) {
        used.clear();
        endsAtMs = now() + WINDOW_MS;
      }
      return sharesFor(kind).some((share) => takeFrom(share, caller)) ? 0 : endsAtMs - now();
    },
  };
}

/**
 * Counts every request against the budget: second tries, repeats after a 401, and `getToken` too, since the interface's limit
 * is on all operations. The result throws `rate-limited`, with nothing sent, when none is left.
 */
export function withinBudget(send: Send, budget: CallBudget | undefined): Send {
  if (budget === undefined) return send;
  return async (request) => {
    const { operation, kind, caller } = request;
    const waitMs = await budget.take(kind, caller);
    if (waitMs === 0) return send(request);
    const retryAfterMs = Math.max(1, Math.ceil(waitMs));
    throw new UpstreamError('rate-limited', { operation, retryAfterMs, isUnsent: true, isFinal: true });
  };
}
