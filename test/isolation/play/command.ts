import type { Action, Command } from '../sequence/sequence.ts';
import { type Caller, cookieOf, createSession, type Session, sessionOf } from './caller.ts';
import { CHANGES, startCase, useRule } from './changes.ts';
import { checkAnswer, checkAnyAnswer } from './checks.ts';
import type { Answer, ClientRequest } from './client.ts';
import {
  createRequester,
  type ExpectedRequest,
  formIdIn,
  type Requester,
} from './expected-request.ts';
import { OTHERS, READS, readMany, WATCHES } from './reads.ts';
import type { Scene } from './round.ts';
import { expire, guessPassword, signIn, signOut } from './session-actions.ts';

/** A command with its callers and its effects. */
export interface Step {
  readonly command: Command;
  readonly caller: Caller;
  readonly neighbour: Caller;
  /** Identifies the caller in the request. */
  readonly mark: string;
  /** The paths that it may call on the platform. */
  readonly paths: string[];
  /** The session that it opened. */
  opened?: Session;
}

const TOKEN_PATH = '/v1.0/token';

/** Runs a command, and returns the problems of its response. */
export async function runCommand(step: Step, scene: Scene): Promise<string[]> {
  const { kind } = step.command.action;
  if (kind === 'revoke') {
    scene.platform.accounts.revoke(step.caller.person);
    return [];
  }
  if (scene.mode === 'forward' && isSessionAction(kind)) return runTokenAction(kind, step, scene);
  return isSessionAction(kind) ? runSessionAction(kind, step, scene) : sendAndCheck(step, scene);
}

type SessionAction = 'signIn' | 'signOut' | 'expire' | 'guessPassword';

const isSessionAction = (kind: string): kind is SessionAction =>
  ['signIn', 'signOut', 'expire', 'guessPassword'].includes(kind);

async function runSessionAction(
  kind: SessionAction,
  step: Step,
  { client, number }: Scene,
): Promise<string[]> {
  const { caller, neighbour, paths, command } = step;
  if (kind === 'guessPassword') return guessPassword(client, neighbour);
  if (kind === 'signOut')
    return signOut(client, caller, headersOf(step, sessionOf(caller, command.session), 'user'));
  paths.push(TOKEN_PATH);
  if (kind === 'expire') return expire(client, caller, formIdIn(number, 'a'));
  const { session, problems } = await signIn(client, caller);
  if (session !== undefined) step.opened = session;
  return [...problems];
}

/**
 * Runs a session action of a caller who sends the platform's tokens: with a new token, or with a
 * forged one.
 */
async function runTokenAction(
  kind: SessionAction,
  step: Step,
  { client, platform, number }: Scene,
): Promise<string[]> {
  const { caller, mark } = step;
  if (kind !== 'guessPassword') {
    step.opened = createSession(platform.issueToken(caller.person));
    return [];
  }
  const text = 'query ($form: ID!) { form(formId: $form) { name } }';
  const variables = { form: formIdIn(number, 'a') };
  const answer = await client.send({
    text,
    variables,
    headers: { authorization: `Bearer made-up-${number}-${mark}` },
  });
  const isRefused = answer.body.errors?.[0]?.extensions?.code === 'UNAUTHENTICATED';
  return [
    ...checkAnyAnswer(answer, caller.person, []),
    ...(isRefused ? [] : [`a forged token was accepted: ${answer.text}`]),
  ];
}

async function sendAndCheck(step: Step, scene: Scene): Promise<string[]> {
  const { client, platform, mode, number } = scene;
  const { caller, command, mark, paths } = step;
  const { person } = caller;
  const refusalOf = (formId: string) => platform.accounts.refusalOf(person, formId);
  const requester = createRequester({
    person,
    sequence: number,
    mark,
    isForwarded: mode === 'forward',
    refusalOf,
  });
  const expected = toExpectedRequest(step, requester, number);
  const session = sessionOf(caller, command.session);
  if (session !== undefined && session.state !== 'ended') paths.push(...expected.paths);

  const leaving = new AbortController();
  if (command.isLeaving) platform.ledger.next(person).then(() => leaving.abort());
  const headers = headersOf(step, session, mode);
  try {
    const request = { ...expected, headers, signal: leaving.signal };
    const answer = isWatch(command.action)
      ? await watch(request, step, scene)
      : await client.send(request);
    return [
      ...checkAnyAnswer(answer, person, expected.paths),
      ...checkAnswer(answer, expected, session),
    ];
  } catch (error) {
    if (leaving.signal.aborted) return [];
    throw error;
  }
}

/** Opens a stream, and returns its first result. Its results are checked after each round. */
async function watch(
  request: ClientRequest,
  { caller: { person }, paths }: Step,
  scene: Scene,
): Promise<Answer> {
  // A change causes a poll immediately.
  for (const path of paths) scene.lingering.add(`${person.code} ${path}`);
  const stream = await scene.client.watch(request);
  scene.streams.push({ ...stream, person, paths });
  return stream.first;
}

function toExpectedRequest(
  { command: { action } }: Step,
  requester: Requester,
  number: number,
): ExpectedRequest {
  if (action.kind === 'many') return readMany(action.keys, requester);
  if (action.kind === 'forms' || action.kind === 'viewer') return OTHERS[action.kind](requester);
  if (action.kind === 'startCase') return startCase(requester);
  if (action.kind === 'rule' || action.kind === 'executeRule')
    return useRule(action.kind, action, requester, number);
  if (isChange(action)) return CHANGES[action.kind](action, requester);
  if (isWatch(action)) return WATCHES[action.kind](action, requester);
  if ('form' in action) return READS[action.kind](action, requester);
  throw new Error(`${action.kind} is no question`);
}

const isWatch = (
  action: Action,
): action is Extract<Action, { readonly kind: keyof typeof WATCHES }> => action.kind in WATCHES;

const isChange = (action: Action): action is Extract<Action, { readonly isKeyed: boolean }> =>
  'isKeyed' in action;

function headersOf(
  { command, neighbour }: Step,
  session: Session | undefined,
  mode: Scene['mode'],
) {
  if (session === undefined) return {};
  if (mode === 'forward') return { authorization: session.secret };
  if (command.via === 'cookie') return { cookie: cookieOf(session), 'x-csrf': '1' };
  const [stray] = command.isStray ? neighbour.sessions : [];
  return {
    authorization: `Bearer ${session.secret}`,
    ...(stray && { cookie: cookieOf(stray), 'x-csrf': '1' }),
  };
}
