import type { Version } from './held.ts';
import type { ResourceKey } from './resource.ts';
import type { Wanted } from './wanted.ts';

/** What one read told: which version of the resource there was. */
export interface Fact {
  readonly wanted: Wanted;
  readonly version: Version;
}

/**
 * All that an answer rests on, in waves: the reads of a wave began when what the waves before it told was known. The same
 * operation over the same versions gives the same answer. It is plain data of the caller whose operation it was: to be kept
 * beside the answer, in that caller's scope, and handed to `Store.confirm` unchanged.
 */
export type Evidence = readonly (readonly Fact[])[];

/** Gathers the evidence of one operation. */
export interface Witness {
  /** Gives the wave of a read that begins now. */
  begin(): number;
  /** Told of each read that has ended well. */
  note(wave: number, fact: Fact): void;
  /** Told when something was read that cannot be confirmed later: it failed, or was known to be old. */
  spoil(): void;
  /** What was noted so far; `undefined` where it is not the whole, or contradicts itself. */
  evidence(): Evidence | undefined;
}

export function createWitness(): Witness {
  const waves: Fact[][] = [];
  const versions = new Map<ResourceKey, Version>();
  let next = 0;
  let isSpoilt = false;

  return {
    begin: () => next,
    note(wave, fact) {
      const { key } = fact.wanted;
      const known = versions.get(key);
      if (known !== undefined) {
        isSpoilt ||= known !== fact.version;
        return;
      }
      versions.set(key, fact.version);
      const together = waves[wave];
      if (together === undefined) waves[wave] = [fact];
      else together.push(fact);
      next = Math.max(next, wave + 1);
    },
    spoil() {
      isSpoilt = true;
    },
    evidence: () => (isSpoilt ? undefined : waves),
  };
}
