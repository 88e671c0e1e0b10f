/** A call's right to a connection. */
export interface Permit {
  /** Resolves when a connection is free; `undefined` where one is at once. */
  readonly granted: Promise<void> | undefined;
  /** Gives the connection back, or leaves the queue. */
  release(): void;
}

/** Shares the connections to one host between callers. */
export interface ConnectionLimit {
  /**
   * Takes a connection, or a place in the caller's queue; `undefined` when that is full.
   *
   * @param caller `undefined` for the gateway itself.
   */
  acquire(caller: string | undefined): Permit | undefined;
}

/** What one caller holds, and the calls that wait, the oldest first. */
interface Holder {
  readonly caller: string | undefined;
  held: number;
  readonly waiting: Set<() => void>;
}

export const CONNECTIONS = 256;
/** Half of the connections, so that no caller alone can make the others wait. */
const MAX_PER_CALLER = 128;
/** One caller's calls under way or waiting for a connection; more are refused at once, as they would only time out later. */
const MAX_PENDING = 16 * MAX_PER_CALLER;

/** Makes the limit of one host. A free connection goes to the waiting caller who holds fewest. */
export function createConnectionLimit(): ConnectionLimit {
  /** By caller, the least recently served first. */
  const holders = new Map<string | undefined, Holder>();
  let held = 0;

  const mayTake = (holder: Holder): boolean => held < CONNECTIONS && holder.held < MAX_PER_CALLER;
  const add = (holder: Holder, count: number) => {
    held += count;
    holder.held += count;
    holders.delete(holder.caller);
    if (holder.held > 0 || holder.waiting.size > 0) holders.set(holder.caller, holder);
  };

  const findNext = (): Holder | undefined => {
    let next: Holder | undefined;
    for (const holder of holders.values()) {
      const isLeast = next === undefined || holder.held < next.held;
      if (isLeast && holder.waiting.size > 0 && mayTake(holder)) next = holder;
    }
    return next;
  };
  const release = (holder: Holder) => {
    add(holder, -1);
    for (let next = findNext(); next !== undefined; next = findNext()) {
      const [grant] = next.waiting;
      grant?.();
    }
  };

  const wait = (holder: Holder): Permit => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const grant = () => {
      holder.waiting.delete(grant);
      add(holder, 1);
      resolve();
    };
    holder.waiting.add(grant);
    add(holder, 0);
    return {
      granted: promise,
      release() {
        const isWaiting = holder.waiting.delete(grant);
        if (isWaiting) add(holder, 0);
        else release(holder);
      },
    };
  };

  return {
    acquire(caller) {
      const holder = holders.get(caller) ?? { caller, held: 0, waiting: new Set() };
      if (holder.held + holder.waiting.size >= MAX_PENDING) return undefined;
      if (holder.waiting.size > 0 || !mayTake(holder)) return wait(holder);
      add(holder, 1);
      return { granted: undefined, release: () => release(holder) };
    },
  };
}
