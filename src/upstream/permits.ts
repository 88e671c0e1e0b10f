import { UpstreamError } from '../core/errors.ts';
import { type Call, type Interceptor, untilEnd } from './call.ts';

/** How many calls of one caller are sent at a time: half of the connections, so that no caller alone makes the others wait. */
const MAX_OF_ONE = 128;
/** How many more of one caller wait; others are refused at once, as they would only time out later. */
const MAX_WAITING = 15 * MAX_OF_ONE;

/** Gives the calls to one host their permits, each caller's in their order. The gateway itself is a caller like any other. */
export function createPermits(): Interceptor {
  const callers = new Map<string, { sent: number; readonly waiting: Set<() => void> }>();

  /** Gives what gives the permit to the caller's next call, or leaves the queue. */
  const acquire = (call: Call) => {
    // All who sign in share as one caller: they are strangers yet.
    const caller = call.kind === 'sign-in' ? call.kind : (call.caller ?? '');
    const calls = callers.get(caller) ?? { sent: 0, waiting: new Set() };
    if (calls.waiting.size >= MAX_WAITING)
      throw new UpstreamError('overloaded', { operation: call.operation, isUnsent: true });
    callers.set(caller, calls);
    const { promise, resolve } = Promise.withResolvers<void>();
    const isNow = calls.sent < MAX_OF_ONE;
    if (isNow) calls.sent++;
    else calls.waiting.add(resolve);
    const release = () => {
      if (calls.waiting.delete(resolve)) return;
      const [next] = calls.waiting;
      if (next === undefined) calls.sent--;
      else calls.waiting.delete(next);
      next?.();
      if (calls.sent === 0) callers.delete(caller);
    };
    return { granted: isNow ? undefined : promise, release };
  };

  return (next) => async (call) => {
    const { granted, release } = acquire(call);
    try {
      if (granted) await untilEnd(granted, call);
      return await next(call);
    } finally {
      release();
    }
  };
}
