/** Waits for others to say that they have heard. */
export interface Receipts {
  /** Begins to count who says so of a thing. */
  expect(thing: string): {
    /** Resolves when so many have, or when it was waited for long enough. */
    from(others: number): Promise<void>;
    forget(): void;
  };
  /** One more has. */
  arrived(thing: string): void;
}

interface Expected {
  missing: number;
  readonly enough: () => void;
}

/** Makes the count; nobody is waited for longer than `timeoutMs`. */
export function createReceipts(timeoutMs: number): Receipts {
  const expected = new Map<string, Expected>();

  return {
    expect(thing) {
      const { promise, resolve } = Promise.withResolvers<void>();
      // Receipts may come before it is known how many there will be.
      const count: Expected = { missing: 0, enough: resolve };
      expected.set(thing, count);
      return {
        async from(others) {
          count.missing += others;
          if (count.missing <= 0) return;
          const timer = setTimeout(resolve, timeoutMs);
          await promise;
          clearTimeout(timer);
        },
        forget: () => void expected.delete(thing),
      };
    },
    arrived(thing) {
      const count = expected.get(thing);
      if (count === undefined) return;
      count.missing--;
      if (count.missing === 0) count.enough();
    },
  };
}
