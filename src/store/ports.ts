import type { Kept } from './entry.ts';
import type { ScopeKey } from './scopes.ts';
import type { Touched } from './touched.ts';
import type { Wanted } from './wanted.ts';

/** Carries what was changed to the other processes in front of the same platform. */
export interface Invalidations {
  /**
   * Tells the others. Resolves when they have been told as far as can be known, and never rejects; the change's own answer
   * waits for it. What was changed in this process is known to it already, and need not come back.
   */
  publish(touched: Touched): Promise<void>;
  /** Calls back with what others changed; with `everything` whenever something may have been missed. */
  subscribe(listener: (touched: Touched) => void): void;
}

/** Whose knowledge it is: one caller's, or what the callers of one platform share. */
export type Owner = ScopeKey | 'everybody';

/**
 * A memory behind the process's own, which other processes share. It holds people's data. What it gives must not have been
 * touched since the call began that found it true (`trueAtMs`): `wanted.areas` say what would touch it.
 */
export interface SecondLevel {
  /** Gives what is kept. `undefined` when nothing is, or it cannot be told in time; never rejects. */
  get(owner: Owner, wanted: Wanted): Promise<Kept | undefined>;
  /** Keeps what was found true, until it serves nobody any more. Nobody waits for it; never throws. */
  set(owner: Owner, wanted: Wanted, kept: Kept): void;
  /** Keeps it no longer, where it can be reached. Nobody waits for it; never throws. */
  drop(owner: Owner, wanted: Wanted): void;
}

/** For a process that is alone. */
export const nobodyElse: Invalidations = { publish: async () => undefined, subscribe: () => undefined };
