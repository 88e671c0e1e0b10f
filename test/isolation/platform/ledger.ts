import type { Person } from './people.ts';

/** One call that reached the platform. */
export interface Call {
  /** The owner of the token or credentials. `undefined` without an owner. */
  readonly person: Person | undefined;
  readonly isSignIn: boolean;
  readonly method: string;
  /** The path without its query, as sent. */
  readonly path: string;
  /** Whether it was a conditional request. */
  readonly isConditional: boolean;
  /** The caller as named in the request, if it names one. */
  readonly mark?: string | undefined;
}

/** Creates the platform's record of calls, which decides who made which call. */
export function createLedger() {
  let count = 0;
  let calls: Call[] = [];
  let waiting: { readonly code: string; readonly resolve: () => void }[] = [];
  return {
    /** The number of all calls. */
    get count() {
      return count;
    },
    write(call: Call) {
      count++;
      calls.push(call);
      const arrived = waiting.filter(({ code }) => code === call.person?.code);
      waiting = waiting.filter((one) => !arrived.includes(one));
      for (const { resolve } of arrived) resolve();
    },
    /** Returns the calls since the last `take`. */
    take() {
      const taken = calls;
      calls = [];
      waiting = [];
      return taken;
    },
    /** Resolves at this person's next call. */
    next({ code }: Person) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ code, resolve });
      return promise;
    },
  };
}
