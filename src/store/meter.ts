/** Counts what one operation asks of the upstream. What others had asked already costs it nothing. */
export interface Meter {
  /** How many calls were made so far. */
  readonly calls: number;
  /**
   * Told before each call.
   *
   * @throws {BudgetError} when the call would be one more than the operation may make; it is not made then.
   */
  count(): void;
}

/** An operation has made as many calls as it may. Its message is meant for the client. */
export class BudgetError extends Error {
  override readonly name = 'BudgetError';

  constructor(maxCalls: number) {
    super(
      `This operation needs call ${maxCalls + 1} to the platform, and at most ${maxCalls} are allowed; it was not made.`,
    );
  }
}

/** Makes the meter of one operation. */
export function createMeter(maxCalls = Number.POSITIVE_INFINITY): Meter {
  let calls = 0;
  return {
    get calls() {
      return calls;
    },
    count() {
      if (calls >= maxCalls) throw new BudgetError(maxCalls);
      calls++;
    },
  };
}
