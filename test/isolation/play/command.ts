import type { Ask, Command } from '../sequence/sequence.ts';
import { type Caller, cookieOf, createSession, type Session, sessionOf } from './caller.ts';
import { askRule, CHANGES, startCase } from './changes.ts';
import { judgeAnswer, judgeAnyAnswer } from './judge.ts';
import { type Asker, createAsker, formIdIn, type Question } from './question.ts';
import { askMany, OTHERS, READS } from './reads.ts';
import { expire, intrude, signIn, signOut } from './turns.ts';
import type { Scene } from './wave.ts';

/** A command with the people that it means, and what it does. */
export interface Deed {
  readonly command: Command;
  readonly caller: Caller;
  readonly neighbour: Caller;
  /** What its question says of its asker. */
  readonly mark: string;
  /** What the platform may be asked for it. */
  readonly paths: string[];
  /** The session that it opened. */
  opened?: Session;
}

const TOKEN_PATH = '/v1.0/token';

/** Does what a command says, and gives what is wrong with the answer. */
export async function runCommand(deed: Deed, scene: Scene): Promise<string[]> {
  const { kind } = deed.command.ask;
  if (kind === 'revoke') {
    scene.platform.accounts.revoke(deed.caller.person);
    return [];
  }
  if (scene.mode === 'forward' && isTurn(kind)) return takeTurnByToken(kind, deed, scene);
  return isTurn(kind) ? takeTurn(kind, deed, scene) : askQuestion(deed, scene);
}

type Turn = 'signIn' | 'signOut' | 'expire' | 'intrude';

const isTurn = (kind: string): kind is Turn => ['signIn', 'signOut', 'expire', 'intrude'].includes(kind);

async function takeTurn(kind: Turn, deed: Deed, { client, number }: Scene): Promise<string[]> {
  const { caller, neighbour, paths, command } = deed;
  if (kind === 'intrude') return intrude(client, neighbour);
  if (kind === 'signOut') return signOut(client, caller, headersOf(deed, sessionOf(caller, command.session), 'user'));
  paths.push(TOKEN_PATH);
  if (kind === 'expire') return expire(client, caller, formIdIn(number, 'a'));
  const { session, problems } = await signIn(client, caller);
  if (session !== undefined) deed.opened = session;
  return [...problems];
}

/** Where callers bring the platform's tokens, a turn is a new token, or one that was made up. */
async function takeTurnByToken(kind: Turn, deed: Deed, { client, platform, number }: Scene): Promise<string[]> {
  const { caller, mark } = deed;
  if (kind !== 'intrude') {
    deed.opened = createSession(platform.bring(caller.person));
    return [];
  }
  const text = 'query ($form: ID!) { form(formId: $form) { name } }';
  const variables = { form: formIdIn(number, 'a') };
  const answer = await client.ask({ text, variables, headers: { authorization: `Bearer made-up-${number}-${mark}` } });
  const isRefused = answer.body.errors?.[0]?.extensions?.code === 'UNAUTHENTICATED';
  return [
    ...judgeAnyAnswer(answer, caller.person, []),
    ...(isRefused ? [] : [`a made-up token lets somebody in: ${answer.text}`]),
  ];
}

async function askQuestion(deed: Deed, { client, platform, mode, number }: Scene): Promise<string[]> {
  const { caller, command, mark, paths } = deed;
  const { person } = caller;
  const refusalOf = (formId: string) => platform.accounts.refusalOf(person, formId);
  const asker = createAsker({ person, sequence: number, mark, isForwarded: mode === 'forward', refusalOf });
  const question = toQuestion(deed, asker, number);
  const session = sessionOf(caller, command.session);
  if (session !== undefined && session.state !== 'ended') paths.push(...question.paths);

  const leaving = new AbortController();
  if (command.isLeaving) platform.ledger.next(person).then(() => leaving.abort());
  const headers = headersOf(deed, session, mode);
  try {
    const answer = await client.ask({ ...question, headers, signal: leaving.signal });
    return [...judgeAnyAnswer(answer, person, question.paths), ...judgeAnswer(answer, question, session)];
  } catch (error) {
    if (leaving.signal.aborted) return [];
    throw error;
  }
}

function toQuestion({ command: { ask } }: Deed, asker: Asker, number: number): Question {
  if (ask.kind === 'many') return askMany(ask.keys, asker);
  if (ask.kind === 'forms' || ask.kind === 'viewer') return OTHERS[ask.kind](asker);
  if (ask.kind === 'startCase') return startCase(asker);
  if (ask.kind === 'rule' || ask.kind === 'executeRule') return askRule(ask.kind, ask, asker, number);
  if (isChange(ask)) return CHANGES[ask.kind](ask, asker);
  if ('form' in ask) return READS[ask.kind](ask, asker);
  throw new Error(`${ask.kind} is no question`);
}

const isChange = (ask: Ask): ask is Extract<Ask, { readonly isKeyed: boolean }> => 'isKeyed' in ask;

function headersOf({ command, neighbour }: Deed, session: Session | undefined, mode: Scene['mode']) {
  if (session === undefined) return {};
  if (mode === 'forward') return { authorization: session.secret };
  if (command.via === 'cookie') return { cookie: cookieOf(session), 'x-csrf': '1' };
  const [stray] = command.isStray ? neighbour.sessions : [];
  return { authorization: `Bearer ${session.secret}`, ...(stray && { cookie: cookieOf(stray), 'x-csrf': '1' }) };
}
