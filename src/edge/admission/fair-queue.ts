/** What waits, and for whom. */
export interface Queued<T> {
  readonly caller: string;
  readonly item: T;
}

/** Keeps what waits in order, one caller's turn after the other's. */
export interface FairQueue<T> {
  add(queued: Queued<T>): void;
  /** Takes what is next; `undefined` when nothing waits. */
  take(): T | undefined;
  size(): number;
  /** Gives what each caller has waited for longest. */
  heads(): readonly T[];
}

/** Makes a queue in which a caller with much to do waits for itself, and for nobody longer than for one of theirs. */
export function createFairQueue<T>(): FairQueue<T> {
  const waitingOf = new Map<string, T[]>();
  let size = 0;

  return {
    add({ caller, item }) {
      size++;
      const waiting = waitingOf.get(caller);
      if (waiting === undefined) waitingOf.set(caller, [item]);
      else waiting.push(item);
    },
    take() {
      const [next] = waitingOf;
      if (next === undefined) return undefined;
      const [caller, waiting] = next;
      const item = waiting.shift();
      size--;
      // The caller goes to the end of the line.
      waitingOf.delete(caller);
      if (waiting.length > 0) waitingOf.set(caller, waiting);
      return item;
    },
    size: () => size,
    heads: () => [...waitingOf.values()].flatMap(([first]) => (first === undefined ? [] : [first])),
  };
}
