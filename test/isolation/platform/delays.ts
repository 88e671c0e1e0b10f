import type { Person } from './people.ts';

/** Creates a switch that delays the calls of some persons. */
export function createDelays() {
  const held = new Map<string, PromiseWithResolvers<void>>();
  return {
    /** Delays this person's calls from now on. */
    hold: ({ code }: Person) => void held.set(code, Promise.withResolvers()),
    /** Ends all delays. */
    release() {
      for (const { resolve } of held.values()) resolve();
      held.clear();
    },
    /** Resolves when this person is not delayed. */
    pass: async ({ code }: Person) => held.get(code)?.promise,
  };
}
