import type { Person } from './people.ts';

/** One call that reached the platform. */
export interface Call {
  /** Whose token or credentials it came with; `undefined` for nobody's. */
  readonly person: Person | undefined;
  readonly isSignIn: boolean;
  readonly method: string;
  /** As it came, without its query. */
  readonly path: string;
  /** Whether it was a conditional request. */
  readonly isConditional: boolean;
  /** The caller as stated in the request itself, where it can be. */
  readonly mark?: string | undefined;
}

/** The platform's own record of calls: the oracle for who called what. */
export function createLedger() {
  let count = 0;
  let calls: Call[] = [];
  let waiting: { readonly code: string; readonly resolve: () => void }[] = [];
  return {
    /** How many calls there were in all. */
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
    /** Gives the calls since it was last taken. */
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
