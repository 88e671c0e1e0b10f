import type { Call } from '../platform/ledger.ts';
import type { Command, Wave } from '../sequence/sequence.ts';
import { type Caller, type Session, sessionOf } from './caller.ts';
import { type Deed, runCommand } from './command.ts';
import type { Stage } from './index.ts';

/** A stage with people on it. */
export interface Scene extends Stage {
  readonly callers: readonly Caller[];
  readonly number: number;
}

/** Plays the commands of one moment, and gives what is wrong: with an answer, or with what the platform wrote down. */
export async function playWave({ held, commands }: Wave, scene: Scene): Promise<string[]> {
  const { platform, callers } = scene;
  const isHeld = ({ caller }: Deed) => held !== undefined && caller === at(callers, held);
  const deeds = commands.flatMap(withEcho).map((drawn, index): Deed => {
    const command = scene.mode === 'forward' ? byToken(drawn) : drawn;
    const caller = at(callers, command.who);
    const mark = `whose-${caller.person.code}-${index}`;
    return { command, caller, neighbour: at(callers, command.who + 1), mark, paths: [] };
  });
  if (held !== undefined) platform.holds.hold(at(callers, held).person);
  for (const session of deeds.flatMap(changedBy)) session.isChanging = true;

  const running = deeds.map((deed) => ({ deed, problems: runCommand(deed, scene).catch(unanswered) }));
  const others = running.filter(({ deed }) => !isHeld(deed)).map(({ problems }) => problems);
  const isStalled = await takesLonger(Promise.all(others), scene.stalledMs);
  platform.holds.release();
  const problems = (await Promise.all(running.map((one) => one.problems))).flat();

  conclude(deeds);
  if (isStalled) problems.push(`somebody waits for ${held}, whom the platform keeps waiting`);
  return [...problems, ...judgeCalls(platform.ledger.take(), deeds, scene)];
}

const at = (callers: readonly Caller[], index: number) => callers[index % callers.length] as Caller;

const unanswered = (error: unknown) => [`a client was left without an answer: ${String(error)}`];

/** Two people may do the same at once. */
const withEcho = (command: Command): Command[] =>
  command.isEchoed ? [command, { ...command, who: command.who + 1 }] : [command];

/** A token that a caller brings cannot be signed out here: they bring another. */
const byToken = (command: Command): Command =>
  command.ask.kind === 'signOut' ? { ...command, ask: { kind: 'signIn' } } : command;

/** Gives the sessions that a command changes. */
function changedBy({ command, caller }: Deed): readonly Session[] {
  if (command.ask.kind === 'revoke') return caller.sessions;
  const session = command.ask.kind === 'signOut' ? sessionOf(caller, command.session) : undefined;
  return session === undefined ? [] : [session];
}

/** Brings the sessions to what they are after the wave. */
function conclude(deeds: readonly Deed[]): void {
  for (const deed of deeds) {
    for (const session of changedBy(deed)) {
      session.isChanging = false;
      session.state = session.state === 'ended' || deed.command.ask.kind === 'signOut' ? 'ended' : 'revoked';
    }
  }
  const revoked = deeds.filter(({ command }) => command.ask.kind === 'revoke').map(({ caller }) => caller);
  // Whether a token was issued before the others were taken back cannot be told.
  for (const { opened, caller } of deeds) if (opened && !revoked.includes(caller)) caller.sessions.unshift(opened);
}

/** Gives the calls that nobody's command explains: each must come with the token of one who asked for it. */
function judgeCalls(calls: readonly Call[], deeds: readonly Deed[], { lingering }: Scene): string[] {
  const explained = new Set(deeds.flatMap(({ caller, paths }) => paths.map((path) => `${caller.person.code} ${path}`)));
  const nobodies = deeds.filter(({ command }) => command.ask.kind === 'intrude').length;
  for (const { command, caller, paths } of deeds) {
    if (command.isLeaving) for (const path of paths) lingering.add(`${caller.person.code} ${path}`);
  }
  const isExplained = ({ person, path }: Call) =>
    explained.has(`${person?.code} ${path}`) || lingering.has(`${person?.code} ${path}`);
  const unexplained = calls.filter((call) => call.person !== undefined && !isExplained(call));
  const mistaken = calls.filter(({ person, mark }) => mark !== undefined && !mark.startsWith(`whose-${person?.code}-`));
  return [
    ...unexplained.map(({ person, path }) => `the platform was asked for ${path} as ${person?.name}, who did not ask`),
    ...mistaken.map(({ person, mark }) => `the platform was asked as ${person?.name} with what ${mark} says`),
    ...(calls.filter(({ person }) => person === undefined).length > nobodies ? ['somebody made up a token'] : []),
  ];
}

async function takesLonger(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(true), limitMs);
  try {
    return await Promise.race([work.then(() => false), promise]);
  } finally {
    clearTimeout(timer);
  }
}
