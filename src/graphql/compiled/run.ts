import type { GraphQLError } from 'graphql';

import type { Later } from '../../loaders/later.ts';
import { createGap, empty, type Gap } from './piece.ts';

/** The arguments of a field. */
export type Args = Record<string, unknown>;

/** One execution of a compiled operation. */
export interface Run {
  readonly context: unknown;
  /** Coerced, with their defaults. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Arguments that depend on variables, by their number in the plan, once they were needed. */
  readonly args: (Args | undefined)[];
  readonly errors: GraphQLError[];
  /** The whole answer. */
  readonly whole: Gap;
  /** Goes on when what is waited for is there, once for all who wait for it. `proceed` throws nothing. */
  wait(waited: Later<unknown>, proceed: () => void): void;
  /** Counts a value of the answer, and gives it back. */
  take(text: string): string;
  /** Whether there is too much to answer, so that nothing more needs to be written. */
  isOverfull(): boolean;
  /** Says that a gap cannot be filled. */
  miss(gap: Gap, error: GraphQLError): void;
  isIdle(): boolean;
  /** Resolves when nothing is waited for. */
  idle(): Promise<void>;
}

interface RunOptions {
  readonly variables: Readonly<Record<string, unknown>>;
  /** How many characters the values of the answer may have together. */
  readonly maxLength: number;
}

/** Begins an execution. */
export function createRun(context: unknown, { variables, maxLength }: RunOptions): Run {
  const waiting = new Map<Promise<unknown>, (() => void)[]>();
  const errors: GraphQLError[] = [];
  const whole = createGap(true);
  let length = 0;
  let whenIdle: (() => void) | undefined;

  return {
    context,
    variables,
    args: [],
    errors,
    whole,
    wait({ promise }, proceed) {
      const others = waiting.get(promise);
      if (others) return void others.push(proceed);
      const group = [proceed];
      waiting.set(promise, group);
      promise.then(() => {
        for (const next of group) next();
        // What came up meanwhile and waits for the same is in the group as well, and has been served.
        waiting.delete(promise);
        if (waiting.size === 0) whenIdle?.();
      });
    },
    take(text) {
      length += text.length;
      return text;
    },
    isOverfull: () => length > maxLength,
    miss(gap, error) {
      if (empty(gap, whole)) errors.push(error);
    },
    isIdle: () => waiting.size === 0,
    async idle() {
      if (waiting.size === 0) return;
      await new Promise<void>((resolve) => {
        whenIdle = resolve;
      });
    },
  };
}
