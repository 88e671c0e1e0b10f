import type { Call } from '../platform/ledger.ts';
import type { Person } from '../platform/people.ts';
import type { Command, Round } from '../sequence/sequence.ts';
import { type Caller, type Session, sessionOf } from './caller.ts';
import { checkAnyAnswer } from './checks.ts';
import type { Stream } from './client.ts';
import { runCommand, type Step } from './command.ts';
import type { Stage } from './index.ts';

/** The environment of one round. */
export interface Scene extends Stage {
  readonly callers: readonly Caller[];
  readonly number: number;
  /** Streams of this sequence. */
  readonly streams: WatchedStream[];
}

/** An open stream with its caller, and the resources that it may show. */
export interface WatchedStream extends Stream {
  readonly person: Person;
  readonly paths: readonly string[];
}

/**
 * Runs the commands of one round concurrently. Returns the problems of their responses and of the
 * platform's calls.
 */
export async function playRound({ held, commands }: Round, scene: Scene): Promise<string[]> {
  const { platform, callers } = scene;
  const isHeld = ({ caller }: Step) => held !== undefined && caller === at(callers, held);
  const steps = commands.flatMap(withEcho).map((drawn, index): Step => {
    const command = scene.mode === 'forward' ? byToken(drawn) : drawn;
    const caller = at(callers, command.who);
    const mark = `whose-${caller.person.code}-${index}`;
    return { command, caller, neighbour: at(callers, command.who + 1), mark, paths: [] };
  });
  if (held !== undefined) platform.delays.hold(at(callers, held).person);
  for (const session of steps.flatMap(changedBy)) session.isChanging = true;

  const running = steps.map((step) => ({
    step,
    problems: runCommand(step, scene).catch(unanswered),
  }));
  const others = running.filter(({ step }) => !isHeld(step)).map(({ problems }) => problems);
  const isStalled = await takesLonger(Promise.all(others), scene.stalledMs);
  platform.delays.release();
  const problems = (await Promise.all(running.map((one) => one.problems))).flat();

  conclude(steps);
  if (isStalled) problems.push(`a caller waits for ${held}, whose calls are delayed`);
  const shown = scene.streams.flatMap(({ first, received, person, paths }) =>
    checkAnyAnswer({ ...first, text: received() }, person, paths),
  );
  return [...problems, ...shown, ...checkCalls(platform.ledger.take(), steps, scene)];
}

const at = (callers: readonly Caller[], index: number) => callers[index % callers.length] as Caller;

const unanswered = (error: unknown) => [`a client got no response: ${String(error)}`];

/** Adds the same command of a neighbour, if the command is echoed. */
const withEcho = (command: Command): Command[] =>
  command.isEchoed ? [command, { ...command, who: command.who + 1 }] : [command];

/** Replaces a sign-out by a new token. A platform's token cannot be signed out at the gateway. */
const byToken = (command: Command): Command =>
  command.action.kind === 'signOut' ? { ...command, action: { kind: 'signIn' } } : command;

/** Returns the sessions that a command changes. */
function changedBy({ command, caller }: Step): readonly Session[] {
  if (command.action.kind === 'revoke') return caller.sessions;
  const session =
    command.action.kind === 'signOut' ? sessionOf(caller, command.session) : undefined;
  return session === undefined ? [] : [session];
}

/** Sets the state of the sessions after the wave. */
function conclude(steps: readonly Step[]): void {
  for (const step of steps) {
    for (const session of changedBy(step)) {
      session.isChanging = false;
      session.state =
        session.state === 'ended' || step.command.action.kind === 'signOut' ? 'ended' : 'revoked';
    }
  }
  const revoked = steps
    .filter(({ command }) => command.action.kind === 'revoke')
    .map(({ caller }) => caller);
  // It is unknown whether a token was issued before the others were revoked.
  for (const { opened, caller } of steps)
    if (opened && !revoked.includes(caller)) caller.sessions.unshift(opened);
}

/**
 * Returns a problem for each unexplained call. A call must have the token of a caller whose command
 * makes it.
 */
function checkCalls(
  calls: readonly Call[],
  steps: readonly Step[],
  { lingering }: Scene,
): string[] {
  const explained = new Set(
    steps.flatMap(({ caller, paths }) => paths.map((path) => `${caller.person.code} ${path}`)),
  );
  const unknownCount = steps.filter(
    ({ command }) => command.action.kind === 'guessPassword',
  ).length;
  for (const { command, caller, paths } of steps) {
    if (command.isLeaving) for (const path of paths) lingering.add(`${caller.person.code} ${path}`);
  }
  const isExplained = ({ person, path }: Call) =>
    explained.has(`${person?.code} ${path}`) || lingering.has(`${person?.code} ${path}`);
  const unexplained = calls.filter((call) => call.person !== undefined && !isExplained(call));
  const mistaken = calls.filter(
    ({ person, mark }) => mark !== undefined && !mark.startsWith(`whose-${person?.code}-`),
  );
  return [
    ...unexplained.map(
      ({ person, path }) => `${path} was called as ${person?.name}, who did not request it`,
    ),
    ...mistaken.map(({ person, mark }) => `a call as ${person?.name} has the data of ${mark}`),
    ...(calls.filter(({ person }) => person === undefined).length > unknownCount
      ? ['a call has an unknown token']
      : []),
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
