import { FairShare } from '../core/open-items.ts';

/** A call's right to a connection. */
export interface Permit {
  /** Resolves when a connection is free; `undefined` where one is at once. */
  readonly granted: Promise<void> | undefined;
  /** Gives the connection back, or leaves the queue. */
  release(): void;
}

export const CONNECTIONS = 256;
/** Half of the connections, so that no caller alone can make the others wait. */
const MAX_PER_CALLER = 128;
/** One caller's calls under way or waiting for a connection; more are refused at once, as they would only time out later. */
const MAX_PENDING = 16 * MAX_PER_CALLER;

/** Shares the connections to one host between callers. A free connection goes to the waiting caller who holds fewest. */
export function createConnectionLimit() {
  const held = new FairShare(CONNECTIONS, MAX_PER_CALLER);
  /** The calls that wait, by caller, the least recently served first; those of a caller the oldest first. */
  const queues = new Map<string, Set<() => void>>();

  /** A caller's waiting calls go to the end with each connection that they get. */
  const add = (caller: string, count: number) => {
    held.add(caller, count);
    const queue = queues.get(caller);
    if (queue === undefined) return;
    queues.delete(caller);
    if (queue.size > 0) queues.set(caller, queue);
  };
  const findNext = (): Set<() => void> | undefined => {
    let next: string | undefined;
    for (const caller of queues.keys()) {
      const isLeast = next === undefined || held.of(caller) < held.of(next);
      if (isLeast && held.excess(caller, 1) === undefined) next = caller;
    }
    return next === undefined ? undefined : queues.get(next);
  };
  const release = (caller: string) => {
    add(caller, -1);
    for (let queue = findNext(); queue !== undefined; queue = findNext()) {
      const [grant] = queue;
      grant?.();
    }
  };

  const wait = (caller: string): Permit => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const queue = queues.get(caller) ?? new Set();
    const grant = () => {
      queue.delete(grant);
      add(caller, 1);
      resolve();
    };
    queue.add(grant);
    queues.delete(caller);
    queues.set(caller, queue);
    return {
      granted: promise,
      release() {
        const isWaiting = queue.delete(grant);
        if (isWaiting) add(caller, 0);
        else release(caller);
      },
    };
  };

  return {
    /** Takes a connection, or a place in the caller's queue; `undefined` when that is full. */
    acquire(caller = OWN): Permit | undefined {
      const waiting = queues.get(caller)?.size ?? 0;
      if (held.of(caller) + waiting >= MAX_PENDING) return undefined;
      if (waiting > 0 || held.excess(caller, 1)) return wait(caller);
      add(caller, 1);
      return { granted: undefined, release: () => release(caller) };
    },
  };
}

/** The gateway itself, which is a caller like any other here. */
const OWN = '';
