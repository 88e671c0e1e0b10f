import type { Refusal } from '../platform/accounts.ts';
import type { Platform } from '../platform/index.ts';
import { createPerson, type Person } from '../platform/people.ts';
import type { Round, Sequence } from '../sequence/sequence.ts';
import { type Caller, createSession } from './caller.ts';
import type { Client } from './client.ts';
import { formIdIn } from './expected-request.ts';
import { playRound, type Scene } from './round.ts';

/** The environment that a sequence runs in. */
export interface Stage {
  readonly platform: Platform;
  readonly client: Client;
  readonly mode: 'user' | 'forward';
  /** The time after which a caller without a delay counts as waiting for a delayed one. */
  readonly stalledMs: number;
  /** Calls of disconnected clients. They may still reach the platform. */
  readonly lingering: Set<string>;
}

/** Runs a sequence, and returns all problems. `number` makes its persons and ids unique. */
export async function play(sequence: Sequence, number: number, stage: Stage): Promise<string[]> {
  const people = sequence.names.map((name) => createPerson(name, number));
  for (const [index, person] of people.entries()) {
    stage.platform.accounts.addUser(person, refusalsOf(sequence, number, index));
  }
  const callers = people.map((person) => toCaller(person, stage));
  const scene: Scene = { ...stage, callers, number, streams: [] };
  try {
    for (const round of [
      ...(stage.mode === 'user' ? [everybodySignsIn(sequence)] : []),
      ...sequence.rounds,
    ]) {
      const problems = await playRound(round, scene);
      if (problems.length > 0) return problems;
    }
    return [];
  } finally {
    for (const { close } of scene.streams) close();
  }
}

function toCaller(person: Person, { mode, platform }: Stage): Caller {
  return { person, sessions: mode === 'user' ? [] : [createSession(platform.issueToken(person))] };
}

function refusalsOf(
  { refusals, names }: Sequence,
  number: number,
  index: number,
): ReadonlyMap<string, Refusal> {
  const own = refusals.filter(({ who }) => who % names.length === index);
  return new Map(own.map(({ form, status }) => [formIdIn(number, form), status]));
}

const everybodySignsIn = ({ names }: Sequence): Round => ({
  held: undefined,
  commands: names.map((_, who) => ({
    ...{ who, session: 0, via: 'bearer', isStray: false, isLeaving: false, isEchoed: false },
    action: { kind: 'signIn' },
  })),
});
