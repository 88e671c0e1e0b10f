import type { Person } from './people.ts';

/** Keeps people waiting at the platform. */
export function createDelays() {
  const held = new Map<string, PromiseWithResolvers<void>>();
  return {
    /** Delays this person's calls from now on. */
    hold: ({ code }: Person) => void held.set(code, Promise.withResolvers()),
    /** Lets everybody go on. */
    release() {
      for (const { resolve } of held.values()) resolve();
      held.clear();
    },
    /** Resolves as soon as this person is not held. */
    pass: async ({ code }: Person) => held.get(code)?.promise,
  };
}
