/** Counts what one operation asks of the upstream. What others had asked already costs it nothing. */
export interface Meter {
  /** How many calls were made so far. */
  readonly calls: number;
  /** Told before each call. */
  count(): void;
}

export function createMeter(): Meter {
  let calls = 0;
  return {
    get calls() {
      return calls;
    },
    count() {
      calls++;
    },
  };
}
