/** What waits, first come first served. */
export interface Queue<T> {
  add(item: T): void;
  /** Takes what is next; `undefined` when nothing waits. */
  take(): T | undefined;
}

/** How many places of those that have left are kept before the others move up. */
const LEFT_MAX = 10_000;

/** Makes a queue that may become very long: an array's `shift` moves all of it each time. */
export function createQueue<T>(): Queue<T> {
  let items: T[] = [];
  let left = 0;
  return {
    add(item) {
      items.push(item);
    },
    take() {
      const item = items[left];
      if (item === undefined) return undefined;
      left++;
      if (left === LEFT_MAX) {
        items = items.slice(left);
        left = 0;
      }
      return item;
    },
  };
}
