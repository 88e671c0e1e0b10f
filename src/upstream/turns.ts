/** How many calls of one caller are sent at a time: half of the connections, so that no caller alone makes the others wait. */
const MAX_OF_ONE = 128;
/** How many more of one caller wait; others are refused at once, as they would only time out later. */
const MAX_WAITING = 15 * MAX_OF_ONE;

/** A call's right to be sent. */
export interface Turn {
  /** Resolves when it is the call's turn; `undefined` where it is at once. */
  readonly granted: Promise<void> | undefined;
  /** Gives the turn to the caller's next call, or leaves the queue. */
  release(): void;
}

/** Gives the calls to one host their turns, each caller's in their order. */
export function createTurns() {
  const callers = new Map<string, { sent: number; readonly waiting: Set<() => void> }>();

  /** `undefined` where too many of the caller's calls wait. The gateway itself is a caller like any other. */
  return function take(caller = ''): Turn | undefined {
    const calls = callers.get(caller) ?? { sent: 0, waiting: new Set() };
    if (calls.waiting.size >= MAX_WAITING) return undefined;
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
}
