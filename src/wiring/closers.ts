type Closer = () => unknown;

/** Remembers how to close what was opened, and closes it in the opposite order. */
export interface Closers {
  add(closer: Closer): void;
  /** Closes everything once, the last opened first, each after the one before it. */
  closeAll(): Promise<void>;
}

export function createClosers(): Closers {
  const closers: Closer[] = [];
  return {
    add: (closer) => {
      closers.push(closer);
    },
    async closeAll() {
      for (let closer = closers.pop(); closer !== undefined; closer = closers.pop()) await closer();
    },
  };
}
