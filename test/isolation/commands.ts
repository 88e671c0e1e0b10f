import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type fc from 'fast-check';

import {
  createResource,
  DEFINITIONS,
  type Expectation,
  type Key,
  type Operation,
  type Sequence,
  SUBSCRIPTIONS,
  toExpectation,
  VIEWER,
} from './operations.ts';
import { BRIEFLY, type Person, type Platform, SECRETS, stampsIn, TOKEN_PATH } from './platform.ts';
import { type Answer, type GraphqlRequest, untilAll } from './support.ts';

/** A credential of a caller. */
export interface Session {
  /** The session token, or in `forward` the whole `Authorization` header. */
  readonly secret: string;
  /** `revoked`: the platform no longer accepts its token. The gateway may not have noticed. */
  state: 'live' | 'revoked' | 'ended';
  /** The state after the running commands. Until then the responses of both states are right. */
  nextState?: 'revoked' | 'ended' | undefined;
}

/** A person with their sessions, the newest first. */
export interface Caller {
  readonly person: Person;
  readonly sessions: Session[];
}

/** The callers with their rights, and the calls that the platform may receive. */
export interface Model extends Sequence {
  readonly callers: readonly Caller[];
  /** The code and path of each call that the running commands may cause. */
  readonly expectedCalls: Set<string>;
  /** The number of running commands with wrong credentials. */
  guessCount: number;
  /** The open subscriptions, with the paths that they may show. */
  readonly streams: { answer: Answer; person: Person; paths: readonly string[] }[];
}

/** The gateways under test, and their platform. */
export interface Real {
  readonly platform: Platform;
  /** Sends a request to the replica of the session. */
  send(request: GraphqlRequest, session?: Session): Promise<Answer>;
  /** Whether a caller may wait for another one, as with a planted leak. */
  readonly mayWait: boolean;
  /** The calls of streams and of disconnected clients, which may still come. */
  readonly lateCalls: Set<string>;
}

/** A command of one caller. */
export interface Command extends fc.AsyncCommand<Model, Real> {
  /** The index of the caller. It wraps around. */
  readonly who: number;
}

/** How a request is sent. */
export interface Sending {
  /** The index of the session. It wraps around. */
  readonly session: number;
  readonly via: 'bearer' | 'cookie';
  /** Whether another caller's cookie is sent beside a bearer token. */
  readonly isStray: boolean;
  /** Whether the client disconnects when its first call reaches the platform. */
  readonly isLeaving: boolean;
}

const callerAt = ({ callers }: Model, who: number) => callers[who % callers.length] as Caller;

const createCommand = (
  name: string,
  who: number,
  run: (model: Model, real: Real, caller: Caller) => Promise<void>,
  check: Command['check'] = () => true,
): Command => ({
  who,
  check,
  run: (model, real) => run(model, real, callerAt(model, who)),
  toString: () => `${name} by ${who}`,
});

const cookieOf = ({ secret }: Session) => ({ cookie: `__Host-caseway=${secret}`, 'x-csrf': '1' });

/** Returns the session of a request, and its headers. */
function authenticate(model: Model, who: number, { session: index, via, isStray }: Sending) {
  const { sessions } = callerAt(model, who);
  const session = sessions[index % sessions.length];
  if (session === undefined) return { session, headers: {} };
  if (model.mode === 'forward') return { session, headers: { authorization: session.secret } };
  if (via === 'cookie') return { session, headers: cookieOf(session) };
  const [stray] = isStray ? callerAt(model, who + 1).sessions : [];
  const authorization = `Bearer ${session.secret}`;
  return { session, headers: { authorization, ...(stray && cookieOf(stray)) } };
}

function addCalls(calls: Set<string>, { code }: Person, paths: readonly string[]): void {
  for (const path of paths) calls.add(`${code} ${path}`);
}

/** Sends a request. Resolves to `undefined` if its client disconnects. */
async function sendAndLeave(
  real: Real,
  request: GraphqlRequest,
  session: Session | undefined,
  person: Person,
) {
  const leaving = new AbortController();
  void real.platform.nextCall(person).then(() => leaving.abort());
  return real.send({ ...request, signal: leaving.signal }, session).catch((error) => {
    if (!leaving.signal.aborted) throw error;
  });
}

/** Creates a command that sends an operation, and expects only data that the caller may see. */
export function execute(
  name: string,
  operation: Operation,
  [key, otherKey]: readonly [Key, Key],
  sending: Sending,
  isKeyed: boolean,
  who: number,
): Command {
  const parts = { key, otherKey, isKeyed, ...sending };
  const isSubscription = name in SUBSCRIPTIONS;
  const keyStart = isKeyed ? name : undefined;
  const isLate = sending.isLeaving || isSubscription;
  const isRemembered = isKeyed || isSubscription || name in DEFINITIONS;
  const run = async (model: Model, real: Real, { person }: Caller) => {
    const resource = createResource(model, person, key);
    const other = createResource(model, person, otherKey);
    const expected = toExpectation(operation, resource, other, keyStart);
    const { query, variables, paths } = expected;
    const { session, headers } = authenticate(model, who, sending);
    const calls = session && session.state !== 'ended' ? paths : [];
    addCalls(model.expectedCalls, person, calls);
    // A change causes a poll of a stream immediately.
    if (isLate) addCalls(real.lateCalls, person, calls);
    const request = { query, variables, headers };
    const answer = sending.isLeaving
      ? await sendAndLeave(real, request, session, person)
      : await real.send(request, session);
    if (answer === undefined) return;
    if (isSubscription) model.streams.push({ answer, person, paths });
    checkAny(answer, person, paths);
    checkAnswer(answer, expected, session, isRemembered);
  };
  return createCommand(`${name} ${JSON.stringify(parts)}`, who, run);
}

const SIGN_IN =
  'mutation ($input: SignInInput!) { it: signIn(input: $input) { viewer { name } sessionToken expiresAt } }';

/** Signs a caller in, and returns the new session. */
async function openSession(model: Model, real: Real, person: Person, password: string) {
  model.expectedCalls.add(`${person.code} ${TOKEN_PATH}`);
  const variables = { input: { username: person.name, password } };
  const answer = await real.send({ query: SIGN_IN, variables });
  checkAny(answer, person);
  const { viewer: signedIn, sessionToken: secret, expiresAt } = answer.body.data?.it ?? {};
  assert.equal(signedIn?.name, person.name, answer.text());
  assert(cookiesOf(answer)[0]?.startsWith(`__Host-caseway=${secret};`), 'no cookie of the session');
  const session: Session = { secret, state: 'live' };
  return { session, expiresAtMs: Date.parse(expiresAt) };
}

/** Creates a command that opens a new session, or in `forward` uses a new token. */
export const signIn = (who: number): Command =>
  createCommand('signIn', who, async (model, real, { person, sessions }) => {
    if (model.mode === 'forward')
      sessions.unshift({ secret: real.platform.issueToken(person), state: 'live' });
    else sessions.unshift((await openSession(model, real, person, person.password)).session);
  });

const isUser = ({ mode }: Readonly<Model>) => mode === 'user';

export const signOut = (sending: Sending, who: number): Command => {
  const run = async (model: Model, real: Real, { person }: Caller) => {
    const { session, headers } = authenticate(model, who, sending);
    if (session !== undefined) session.nextState = 'ended';
    const query = 'mutation { signOut { viewer { name } } }';
    const answer = await real.send({ query, headers }, session);
    checkAny(answer, person);
    assert.deepEqual(answer.body, { data: { signOut: { viewer: null } } });
  };
  return createCommand(`signOut ${JSON.stringify(sending)}`, who, run, isUser);
};

/** Creates a command that lets the platform revoke all tokens of the caller. */
export const revoke = (who: number): Command =>
  createCommand('revoke', who, async (_model, { platform }, { person, sessions }) => {
    platform.revoke(person);
    for (const session of sessions) if (session.state !== 'ended') session.nextState ??= 'revoked';
  });

/** Creates a command that signs in for a short session, and uses it after its expiry. */
export const expire = (who: number): Command => {
  const run = async (model: Model, real: Real, { person }: Caller) => {
    const password = `${person.password}${BRIEFLY}`;
    const { session, expiresAtMs } = await openSession(model, real, person, password);
    // A token that expired before the gateway read it has no expiry.
    if (expiresAtMs > Date.now() + 5_000) return;
    while (Date.now() <= expiresAtMs) await wait(expiresAtMs - Date.now() + 1);
    const query = `{ viewer { name } form(formId: "${model.sequence}.a") { name } }`;
    const headers = { authorization: `Bearer ${session.secret}` };
    const answer = await real.send({ query, headers }, session);
    checkAny(answer, person);
    assert.deepEqual(answer.body.data, { viewer: null, form: null });
    assert.deepEqual(codesOf(answer), ['UNAUTHENTICATED']);
  };
  return createCommand('expire', who, run, isUser);
};

/** Creates a command that tries a wrong password of the caller, or in `forward` a forged token. */
export const guess = (who: number): Command =>
  createCommand('guess', who, async (model, real, { person }) => {
    model.guessCount++;
    const forgery = {
      query: `{ it: form(formId: "${model.sequence}.a") { name } }`,
      headers: { authorization: `Bearer forged-${model.sequence}-${model.guessCount}` },
    };
    const attempt = {
      query: SIGN_IN,
      variables: { input: { username: person.name, password: 'guessed' } },
      // The gateway blocks an address after a few refusals.
      headers: { 'x-forwarded-for': `198.18.${randomInt(256)}.${randomInt(256)}` },
    };
    const answer = await real.send(isUser(model) ? attempt : forgery);
    checkAny(answer, person);
    assert.deepEqual([answer.body.data?.it ?? null, codesOf(answer)], [null, ['UNAUTHENTICATED']]);
    assert.deepEqual(cookiesOf(answer), []);
  });

/**
 * Creates a command that runs others concurrently, and checks the open streams and the platform's
 * calls after them.
 *
 * @param held the caller whose calls the platform delays until all others have a response.
 */
export const concurrently = (
  drawn: readonly Command[],
  held: number | undefined,
): fc.AsyncCommand<Model, Real> => ({
  check: (model) => drawn.some((command) => command.check(model)),
  toString: () => `[${drawn.join(', ')}]${held === undefined ? '' : ` with a delay of ${held}`}`,
  async run(model, real) {
    const commands = drawn.filter((command) => command.check(model));
    const heldCaller = held === undefined ? undefined : callerAt(model, held);
    if (heldCaller !== undefined) real.platform.hold(heldCaller.person);
    const running = commands.map((command) => command.run(model, real));
    const ended = Promise.allSettled(running);
    const others = running.filter((_, index) => {
      const { who = 0 } = commands[index] ?? {};
      return callerAt(model, who) !== heldCaller;
    });
    const isStalled = await Promise.race([
      Promise.allSettled(others).then(() => false),
      wait(real.mayWait ? 300 : 15_000, true, { ref: false }),
    ]);
    real.platform.release();
    await ended;

    const checking = [
      checkCalls(model, real),
      ...model.streams.map(async ({ answer, person, paths }) =>
        checkText(answer.text(), person, paths),
      ),
    ];
    settle(model);
    await untilAll([...running, ...checking]);
    assert(real.mayWait || !isStalled, `a caller waits for ${held}, whose calls are delayed`);
  },
});

/** Checks that a running command explains each call. */
async function checkCalls(model: Model, { platform, lateCalls }: Real): Promise<void> {
  let unknownCount = 0;
  for (const { person, path, query, body } of platform.takeCalls()) {
    const call = `${person?.code} ${path}`;
    const isExpected = model.expectedCalls.has(call) || lateCalls.has(call);
    if (person === undefined) unknownCount++;
    else assert(isExpected, `${path} was called as ${person.name}, who did not request it`);
    const [, markedCode = person?.code] = /whose-(\w+)-/.exec(`${query} ${body}`) ?? [];
    assert.equal(markedCode, person?.code, `a call as ${person?.name} has data of ${markedCode}`);
  }
  assert(unknownCount <= model.guessCount, 'a call has an unknown token');
}

/** Sets the sessions to their new states, and forgets the expected calls. */
function settle(model: Model): void {
  model.expectedCalls.clear();
  model.guessCount = 0;
  for (const session of model.callers.flatMap(({ sessions }) => sessions)) {
    session.state = session.nextState ?? session.state;
    session.nextState = undefined;
  }
}

/** Matches the problem that a caller is shown another's data. */
export const FOREIGN = /is shown what/;

/** Checks that a text has no secrets, and no data of other callers or of other resources. */
function checkText(text: string, person: Person, paths: readonly string[] = []): void {
  for (const { code, path } of stampsIn(text)) {
    assert(code === person.code, `${person.name} is shown what ${code} may see at ${path}`);
    const isRequested = paths.includes(path) || paths.includes(path.replace(/\/[^/]*$/, ''));
    assert(isRequested, `${person.name} got ${path}, and requested ${paths.join(' ')}`);
  }
  for (const secret of Object.values(SECRETS))
    assert(!text.includes(secret), `an answer has ${secret}`);
}

const cookiesOf = ({ headers }: Answer): string[] => [headers['set-cookie'] ?? []].flat();
const codesOf = ({ body }: Answer) => (body.errors ?? []).map(({ extensions }) => extensions?.code);

/** Checks any response: its text, and headers that keep it out of shared caches. */
function checkAny(answer: Answer, person: Person, paths?: readonly string[]): void {
  const { headers, text } = answer;
  checkText(`${text()}\n${JSON.stringify(headers)}`, person, paths);
  for (const cookie of cookiesOf(answer)) assert.match(cookie, /^__Host-caseway=/);
  assert.match(String(headers['cache-control']), /\bno-store\b/, 'an answer may be kept');
  assert.match(String(headers['vary']), /authorization.*cookie/i, 'an answer varies by too little');
}

const isRefusal = (code: unknown) => code === 'FORBIDDEN' || code === 'NOT_FOUND';

/** Whether a value equals another one, except for parts that are `null`. */
function isPartOf(value: unknown, whole: unknown): boolean {
  if (value === null || isDeepStrictEqual(value, whole)) return true;
  if (typeof value !== 'object' || typeof whole !== 'object' || whole === null) return false;
  return Object.entries(whole).every(([name, member]) =>
    isPartOf(Reflect.get(value, name), member),
  );
}

/**
 * Checks the response of an operation.
 *
 * @param isRemembered whether the gateway may repeat a response to the same caller without a call.
 */
function checkAnswer(
  answer: Answer,
  { query, data, codes }: Expectation,
  session: Session | undefined,
  isRemembered: boolean,
): void {
  const got = { data: answer.body.data, codes: codesOf(answer) };
  const expected = { data, codes: codes ?? got.codes.filter(isRefusal) };
  const mayRepeat = session?.state === 'revoked' && isRemembered;
  const isRepeated = mayRepeat && isDeepStrictEqual(got, expected);
  if (session?.nextState !== undefined || isRepeated) return;
  if (session?.state === 'live') {
    assert.deepEqual(got, expected);
    return;
  }
  for (const [name, value] of Object.entries(got.data ?? {}))
    assert(isPartOf(value, mayRepeat ? data[name] : null), `without a session: ${answer.text()}`);
  const isSaid = got.codes.every(
    (code) => code === 'UNAUTHENTICATED' || (mayRepeat && isRefusal(code)),
  );
  assert(
    isSaid && (query === VIEWER || got.codes.length > 0),
    `no UNAUTHENTICATED: ${answer.text()}`,
  );
}
