import type { Person } from './people.ts';

/** Keeps people waiting at the platform. */
export interface Delays {
  /** Delays this person's calls from now on. */
  hold(person: Person): void;
  /** Lets everybody go on. */
  release(): void;
  /** Resolves as soon as this person is not held. */
  pass(person: Person): Promise<void>;
}

export function createDelays(): Delays {
  const held = new Map<string, PromiseWithResolvers<void>>();
  return {
    hold({ code }) {
      held.set(code, Promise.withResolvers());
    },
    release() {
      for (const { resolve } of held.values()) resolve();
      held.clear();
    },
    pass: async ({ code }) => held.get(code)?.promise,
  };
}
