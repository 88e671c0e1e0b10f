import type { Held } from './held.ts';
import type { Mark } from './journal.ts';

/** What is known of a resource, in a form that can leave the process: JSON says all of it. */
export interface Kept extends Omit<Held<unknown>, 'content'> {
  readonly record: unknown;
  /**
   * When the call began that last found it true, in epoch milliseconds. Whatever was changed later, the record may lack.
   */
  readonly trueAtMs: number;
}

/** What is known of a resource. */
export interface Entry extends Held<unknown>, Pick<Kept, 'trueAtMs'> {
  /** What had been changed when that call began. */
  readonly mark: Mark;
  /** Whether this process asked itself, so that its own clock says when. */
  readonly isFirstHand: boolean;
}
