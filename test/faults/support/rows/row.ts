import { answers, type Fault } from '../faulty-platform.ts';

/** The outcome of a read or a write with a fault: the error code, if any, and the number of calls. */
export type Outcome = readonly [code: string | undefined, hits: number];

/** One fault of the matrix, and what becomes of it. */
export interface Row {
  readonly does: string;
  readonly fault: Fault;
  /** Whether it is the deadline that ends it; all else must come of it however busy the machine is. */
  readonly isEndless?: true;
  readonly read?: Outcome;
  readonly write?: Outcome;
}

/** Answered well, after so many calls. */
export const OK = (hits: number): Outcome => [undefined, hits];
/** Unreadable, after so many calls. */
export const INVALID = (hits: number): Outcome => ['UPSTREAM_INVALID_RESPONSE', hits];
/** A write that was sent once, and whose answer was lost. */
export const UNKNOWN: Outcome = ['OUTCOME_UNKNOWN', 1];

/** How a good answer begins. */
export const HEAD = 'HTTP/1.1 200 OK\r\n';

/** Answers 200. */
export const both = (body: string, ...headers: readonly string[]): Fault => answers(200, body, ...headers);
