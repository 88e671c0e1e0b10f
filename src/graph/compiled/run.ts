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
  /** Says that a gap cannot be filled. */
  miss(gap: Gap, error: GraphQLError): void;
  isIdle(): boolean;
  /** Resolves when nothing is waited for. */
  idle(): Promise<void>;
}

/** Begins an execution. */
export function createRun(context: unknown, variables: Readonly<Record<string, unknown>>): Run {
  const waiting = new Map<Promise<unknown>, (() => void)[]>();
  const errors: GraphQLError[] = [];
  const whole = createGap(true);
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
