import type { KeptAnswer } from './answers.ts';
import { type Clock, steadyClock } from './clock.ts';
import { createJournal, type Journal } from './journal.ts';
import { createMemory, type Memory, type Shelf } from './memory.ts';
import { type Invalidations, nobodyElse, type SecondLevel } from './ports.ts';
import type { Touched } from './touched.ts';
import type { FreshnessClass } from './wanted.ts';

/** How long what was read is good for, in milliseconds. */
export interface Windows extends Readonly<Record<FreshnessClass, number>> {
  /** How old a copy may be that answers when asking fails; 0 is never. */
  readonly staleIfFailed: number;
}

export interface DepotOptions {
  readonly windows: Windows;
  /** About how much memory all scopes together may take, in bytes. */
  readonly maxBytes: number;
  /** The same for answers that are kept beside what they rest on; 0 keeps none. */
  readonly answersMaxBytes: number;
  /** Whether forms and rules that one caller was shown are shown to all whom the platform has let in. */
  readonly isSharingDefinitions: boolean;
  readonly invalidations?: Invalidations;
  readonly secondLevel?: SecondLevel | undefined;
  readonly now?: Clock;
}

/** What the stores of all scopes have in common: room, rules and the memory of changes, but nothing that anybody was told. */
export interface Depot extends Pick<DepotOptions, 'windows' | 'secondLevel'> {
  readonly memory: Memory;
  /** `undefined` where no answers are kept. */
  readonly answers: Memory<KeptAnswer, string> | undefined;
  readonly journal: Journal;
  /** For definitions, where callers share them. */
  readonly common: Shelf | undefined;
  readonly now: Clock;
  /** Drops what a change touched, in every scope and in every process. */
  touch(touched: Touched): Promise<void>;
}

/** Always asks whether instances have changed, and knows definitions for a minute. */
export const USUAL_WINDOWS: Windows = { definitions: 60_000, instances: 0, lists: 0, staleIfFailed: 0 };

/** As much memory as a depot takes unless it is said. */
const USUAL_BYTES = 64 * 1024 * 1024;
const USUAL_ANSWERS_BYTES = 16 * 1024 * 1024;

/** Makes the depot of one process in front of one platform. */
export function createDepot(options: Partial<DepotOptions> = {}): Depot {
  const { windows = USUAL_WINDOWS, maxBytes = USUAL_BYTES, isSharingDefinitions = false } = options;
  const { invalidations = nobodyElse, secondLevel, now = steadyClock } = options;
  const { answersMaxBytes = USUAL_ANSWERS_BYTES } = options;
  const memory = createMemory(maxBytes);
  const journal = createJournal();
  invalidations.subscribe(journal.touch);
  return {
    windows,
    secondLevel,
    memory,
    answers: answersMaxBytes > 0 ? createMemory<KeptAnswer, string>(answersMaxBytes) : undefined,
    journal,
    now,
    common: isSharingDefinitions ? memory.shelf() : undefined,
    async touch(touched) {
      journal.touch(touched);
      await invalidations.publish(touched);
    },
  };
}
