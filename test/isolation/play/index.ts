import type { Refusal } from '../platform/accounts.ts';
import type { Platform } from '../platform/index.ts';
import { createPerson, type Person } from '../platform/people.ts';
import type { Sequence, Wave } from '../sequence/sequence.ts';
import { type Caller, createSession } from './caller.ts';
import type { Client } from './client.ts';
import { formIdIn } from './question.ts';
import { playWave } from './wave.ts';

/** Where a sequence is played. */
export interface Stage {
  readonly platform: Platform;
  readonly client: Client;
  readonly mode: 'user' | 'forward';
  /** How long those who are not held may take before it is said that they wait for one who is. */
  readonly stalledMs: number;
  /** Calls of clients who went away, which may reach the platform after all. */
  readonly lingering: Set<string>;
}

/** Plays a sequence and gives everything that is wrong. `number` tells its people and ids from those of all others. */
export async function play(sequence: Sequence, number: number, stage: Stage): Promise<string[]> {
  const people = sequence.names.map((name) => createPerson(name, number));
  for (const [index, person] of people.entries()) {
    stage.platform.accounts.enrol(person, refusalsOf(sequence, number, index));
  }
  const callers = people.map((person) => toCaller(person, stage));
  for (const wave of [...(stage.mode === 'user' ? [everybodySignsIn(sequence)] : []), ...sequence.waves]) {
    const problems = await playWave(wave, { ...stage, callers, number });
    if (problems.length > 0) return problems;
  }
  return [];
}

function toCaller(person: Person, { mode, platform }: Stage): Caller {
  return { person, sessions: mode === 'user' ? [] : [createSession(platform.bring(person))] };
}

function refusalsOf({ refusals, names }: Sequence, number: number, index: number): ReadonlyMap<string, Refusal> {
  const own = refusals.filter(({ who }) => who % names.length === index);
  return new Map(own.map(({ form, status }) => [formIdIn(number, form), status]));
}

const everybodySignsIn = ({ names }: Sequence): Wave => ({
  held: undefined,
  commands: names.map((_, who) => ({
    ...{ who, session: 0, via: 'bearer', isStray: false, isLeaving: false, isEchoed: false },
    ask: { kind: 'signIn' },
  })),
});
