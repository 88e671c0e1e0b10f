import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';

import { formatNodeId } from '../../src/graphql/relay.ts';
import {
  BRIEFLY,
  type Person,
  type Platform,
  SECRETS,
  stampOf,
  stampsIn,
  startPlatform,
  TOKEN_PATH,
} from './platform.ts';
import {
  type Answer,
  createClient,
  findFailure,
  type GraphqlRequest,
  limitCommands,
  pickVariables,
  type Setup,
  startGateway,
  untilAll,
} from './support.ts';

/** A credential of a caller. */
interface Session {
  /** The session token, or in `forward` the whole `Authorization` header. */
  readonly secret: string;
  /** `revoked`: the platform no longer accepts its token. The gateway may not have noticed. */
  state: 'live' | 'revoked' | 'ended';
  /** The state after the running commands. Until then the responses of both states are right. */
  nextState?: 'revoked' | 'ended' | undefined;
}

/** A person with their sessions, the newest first. */
interface Caller {
  readonly person: Person;
  readonly sessions: Session[];
}

/** The callers with their rights, and the calls that the platform may receive. */
interface Model extends Setup {
  /** The number of the sequence. It is part of every id: sequences do not affect each other. */
  readonly sequence: number;
  readonly callers: readonly Caller[];
  /** The code and path of each call that the running commands may cause. */
  readonly expectedCalls: Set<string>;
  /** The number of running commands with wrong credentials. */
  guessCount: number;
  /** The open subscriptions, with the paths that they may show. */
  readonly streams: { answer: Answer; person: Person; paths: readonly string[] }[];
}

/** The gateways under test, and their platform. */
interface Real {
  readonly platform: Platform;
  /** Sends a request to the replica of the session. */
  send(request: GraphqlRequest, session?: Session): Promise<Answer>;
  /** Whether a caller may wait for another one, as with a planted leak. */
  readonly mayWait: boolean;
  /** The calls of streams and of disconnected clients, which may still come. */
  readonly lateCalls: Set<string>;
}

/** A command of one caller. */
interface Command extends fc.AsyncCommand<Model, Real> {
  /** The index of the caller. It wraps around. */
  readonly who: number;
}

/** A drawn form and instance. */
interface Key {
  readonly form: string;
  readonly instance: string;
}

/** How a request is sent. */
interface Sending {
  /** The index of the session. It wraps around. */
  readonly session: number;
  readonly via: 'bearer' | 'cookie';
  /** Whether another caller's cookie is sent beside a bearer token. */
  readonly isStray: boolean;
  /** Whether the client disconnects when its first call reaches the platform. */
  readonly isLeaving: boolean;
}

// The operations.

/** Returns a form and an instance as a caller sees them. */
function createResource({ mode, sequence }: Model, person: Person, { form, instance }: Key) {
  const formId = `${sequence}.${form}`;
  const formPath = `/v1.0/forms/${encodeURIComponent(formId)}`;
  // A version has no sign.
  const version = instance.replace('-1', '%2F');
  const stamp = (path: string) => stampOf(person, path);
  const instanceAt = (instanceId: string) => ({
    instanceId,
    value: stamp(`${formPath}/instances/${instanceId}`),
  });
  const below = ['', '/instances', ...['2', '5', instance].map((id) => `/instances/${id}`)];
  return {
    ...{ person, version, stamp, instanceAt },
    refusal: person.refusals.get(formId),
    /** The paths that an operation of the form may call. */
    paths: below.map((path) => formPath + path),
    rulePath: `/v1.0/rules/${encodeURIComponent(`${formId}-${version}`)}`,
    viewer: mode === 'forward' ? null : { name: person.name },
    form: { description: stamp(formPath) },
    instance: instanceAt(instance),
    next: instanceAt('2'),
    /** A value that names the caller, in a search or in the values of a change. */
    mark: `whose-${person.code}-${instance}`,
    ids: { formId, instanceId: instance },
  };
}

type Resource = ReturnType<typeof createResource>;

/**
 * A request, the data for a caller with access to the resource, and the called path, if that is not
 * a path of the form.
 */
type Operation = readonly [
  query: string,
  data: (resource: Resource, other: Resource) => unknown,
  path?: (resource: Resource) => string,
];

type Operations = Readonly<Record<string, Operation>>;

const INSTANCE = 'instanceId value(field: "stamp")';
const IDS = '$formId: ID!, $instanceId: ID!';
const REFERENCE = `query (${IDS}) { it: instance(formId: $formId, instanceId: $instanceId) { ${INSTANCE} reference(field: "next") { ${INSTANCE} } } }`;
const LIST = `query ($formId: ID!, $mark: JSON!) { it: instances(formId: $formId, where: [{ field: "mark", value: $mark }]) { nodes { ${INSTANCE} mark: value(field: "mark") } } }`;
const toReference = ({ instance, next }: Resource) => ({ ...instance, reference: next });
const toList = ({ instanceAt, mark }: Resource) => ({
  nodes: ['1', '2'].map((id) => ({ ...instanceAt(id), mark })),
});

const READS: Operations = {
  reference: [REFERENCE, toReference],
  list: [LIST, toList],
  instance: [
    `query (${IDS}) { it: instance(formId: $formId, instanceId: $instanceId) { ${INSTANCE} } }`,
    ({ instance }) => instance,
  ],
  node: [
    `query ($instanceNode: ID!) { it: node(id: $instanceNode) { ... on Instance { ${INSTANCE} } } }`,
    ({ instance }) => instance,
  ],
  extension: [
    `query (${IDS}) {
      it: ownInstance(formId: $formId, instanceId: $instanceId, any: { stamp: "clean" }) {
        ${INSTANCE} ownStamp reference(field: "next") { ownStamp }
      }
    }`,
    ({ instance, next }) => ({
      ...instance,
      ownStamp: instance.value,
      reference: { ownStamp: next.value },
    }),
  ],
};

/** Subscriptions. Their first result equals a read, and joins an equal read of the caller. */
const SUBSCRIPTIONS: Operations = {
  watch: [REFERENCE.replace('query', 'subscription'), toReference],
  watchList: [LIST.replace('query', 'subscription'), toList],
};

const VIEWER = '{ it: viewer { name } }';

/** Operations that the gateway may answer to the same caller without a call. */
const DEFINITIONS: Operations = {
  form: ['query ($formId: ID!) { it: form(formId: $formId) { description } }', ({ form }) => form],
  formNode: [
    'query ($formNode: ID!) { it: node(id: $formNode) { ... on Form { description } } }',
    ({ form }) => form,
  ],
  forms: [
    '{ it: forms(first: 5) { nodes { description } } }',
    ({ person, stamp }) => ({
      nodes: person.listedForms.map((formId) => ({ description: stamp(`/v1.0/forms/${formId}`) })),
    }),
    () => '/v1.0/forms',
  ],
  rule: [
    'query ($formId: ID!, $version: ID!) { it: rule(component: $formId, version: $version) { name } }',
    ({ stamp, rulePath }) => ({ name: stamp(`${rulePath}/get-parameters`) }),
    ({ rulePath }) => `${rulePath}/get-parameters`,
  ],
  viewer: [VIEWER, ({ viewer }) => viewer, () => 'none'],
  many: [
    `query (${IDS}, $otherFormId: ID!, $otherInstanceId: ID!) {
      form1: form(formId: $formId) { description }
      instance1: instance(formId: $formId, instanceId: $instanceId) { ${INSTANCE} }
      form2: form(formId: $otherFormId) { description }
      instance2: instance(formId: $otherFormId, instanceId: $otherInstanceId) { ${INSTANCE} }
    }`,
    (one, two) => ({
      form1: one.refusal ? null : one.form,
      instance1: one.refusal ? null : one.instance,
      form2: two.refusal ? null : two.form,
      instance2: two.refusal ? null : two.instance,
    }),
  ],
};

const KEYED = '$values: JSONObject!, $key: ID';
const INPUT = 'formId: $formId, instanceId: $instanceId, values: $values, idempotencyKey: $key';
const CHANGED = 'instance { value(field: "stamp") }';
const toChanged = ({ instance: { value } }: Resource) => ({ instance: { value } });

/** Changes of instances. With an idempotency key all callers send the same input. */
const CHANGES: Operations = {
  create: [
    `mutation ($formId: ID!, ${KEYED}) { it: createInstance(input: { formId: $formId, values: $values, idempotencyKey: $key }) { ${CHANGED} } }`,
    ({ instanceAt }) => ({ instance: { value: instanceAt('5').value } }),
  ],
  update: [
    `mutation (${IDS}, ${KEYED}) { it: updateInstance(input: { ${INPUT} }) { ${CHANGED} } }`,
    toChanged,
  ],
  replace: [
    `mutation (${IDS}, ${KEYED}) { it: replaceInstance(input: { ${INPUT} }) { ${CHANGED} } }`,
    toChanged,
  ],
  delete: [
    `mutation (${IDS}, $key: ID) { it: deleteInstance(input: { formId: $formId, instanceId: $instanceId, idempotencyKey: $key }) { __typename } }`,
    () => ({ __typename: 'DeleteInstancePayload' }),
  ],
};

const OTHER_CHANGES: Operations = {
  startCase: [
    'mutation ($values: JSONObject!) { it: startCase(input: { process: "any", values: $values }) { case { record } } }',
    ({ stamp }) => ({ case: { record: { idCase: 1, note: stamp('/v1.0/cases') } } }),
    () => '/v1.0/cases',
  ],
  executeRule: [
    'mutation ($formId: ID!, $version: ID!, $parameters: [RuleParameterInput!]!) { it: executeRule(input: { component: $formId, version: $version, parameters: $parameters }) { outputs { value } } }',
    ({ stamp, rulePath }) => ({ outputs: [{ value: stamp(`${rulePath}/execute`) }] }),
    ({ rulePath }) => `${rulePath}/execute`,
  ],
};

/** A request, and its response while the caller is signed in. */
interface Expectation {
  readonly query: string;
  readonly variables: object;
  readonly data: Readonly<Record<string, unknown>>;
  /** The codes of its errors. `undefined` if each refusal may be an error. */
  readonly codes: readonly string[] | undefined;
  /** The paths that it may call. */
  readonly paths: readonly string[];
}

/**
 * Returns the request of an operation, and its response.
 *
 * @param keyStart the start of the idempotency key, if there is one.
 */
function toExpectation(
  [query, data, path]: Operation,
  resource: Resource,
  other: Resource,
  keyStart: string | undefined,
): Expectation {
  const { ids, version, mark, paths, refusal } = resource;
  const key = keyStart && `${keyStart} ${Object.values(ids)}`;
  const request = {
    query,
    variables: pickVariables(query, {
      ...{ ...ids, version, mark, key },
      formNode: formatNodeId('Form', ids.formId),
      instanceNode: formatNodeId('Instance', ids.formId, ids.instanceId),
      otherFormId: other.ids.formId,
      otherInstanceId: other.ids.instanceId,
      values: { mark: key === undefined ? mark : 'anybody' },
      parameters: [{ name: 'mark', value: mark }],
    }),
  };
  const it = data(resource, other);
  if (path !== undefined) return { ...request, data: { it }, codes: [], paths: [path(resource)] };
  // The gateway may read a list, which omits refused resources without an error.
  if (query.includes('form2'))
    return {
      ...{ ...request, data: it as Expectation['data'], codes: undefined },
      paths: ['/v1.0/forms', ...paths, ...other.paths],
    };
  const codesOfMissing = /^mutation|instances\(/.test(query) ? ['NOT_FOUND'] : [];
  return {
    ...{ ...request, paths },
    data: { it: refusal === undefined ? it : null },
    codes: { 200: [], 403: ['FORBIDDEN'], 404: codesOfMissing }[refusal ?? 200],
  };
}

// The checks of responses.

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
  if (session?.nextState !== undefined) return;
  const got = { data: answer.body.data, codes: codesOf(answer) };
  const expected = { data, codes: codes ?? got.codes.filter(isRefusal) };
  const mayRepeat = session?.state === 'revoked' && isRemembered;
  if (mayRepeat && isDeepStrictEqual(got, expected)) return;
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

// The commands.

const callerAt = ({ callers }: Model, who: number) => callers[who % callers.length] as Caller;

const createCommand = (
  name: string,
  who: number,
  run: (model: Model, real: Real, caller: Caller) => Promise<void>,
  check: Command['check'] = () => true,
): Command => ({
  ...{ who, check },
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
function execute(
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
const signIn = (who: number): Command =>
  createCommand('signIn', who, async (model, real, { person, sessions }) => {
    if (model.mode === 'forward')
      sessions.unshift({ secret: real.platform.issueToken(person), state: 'live' });
    else sessions.unshift((await openSession(model, real, person, person.password)).session);
  });

const isUser = ({ mode }: Readonly<Model>) => mode === 'user';

const signOut = (sending: Sending, who: number): Command => {
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
const revoke = (who: number): Command =>
  createCommand('revoke', who, async (_model, { platform }, { person, sessions }) => {
    platform.revoke(person);
    for (const session of sessions) if (session.state !== 'ended') session.nextState ??= 'revoked';
  });

/**
 * Creates a command that signs in for a short session, and uses it after its expiry. Variant A has
 * no expiry.
 */
const expire = (who: number): Command => {
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
  return createCommand(
    'expire',
    who,
    run,
    ({ mode, variant }) => mode === 'user' && variant === 'B',
  );
};

/** Creates a command that tries a wrong password of the caller, or in `forward` a forged token. */
const guess = (who: number): Command =>
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
const concurrently = (
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

    const checks = [
      async () =>
        assert(real.mayWait || !isStalled, `a caller waits for ${held}, whose calls are delayed`),
      async () => checkCalls(model, real),
      ...model.streams.map(
        ({ answer, person, paths }) =>
          async () =>
            checkText(answer.text(), person, paths),
      ),
    ];
    const checking = checks.map((check) => check());
    settle(model);
    await untilAll([...running, ...checking]);
  },
});

/** Checks that a running command explains each call. */
function checkCalls(model: Model, { platform, lateCalls }: Real): void {
  let unknownCount = 0;
  for (const { person, path, query, body } of platform.takeCalls()) {
    const call = `${person?.code} ${path}`;
    if (person === undefined) unknownCount++;
    else
      assert(
        model.expectedCalls.has(call) || lateCalls.has(call),
        `${path} was called as ${person.name}, who did not request it`,
      );
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

// The random sequences.

/** Tokens which, joined with the name of their owner, read like those of another person. */
const TOKEN_STARTS: Readonly<Record<string, string>> = { a: '/f/1', 'a/f': '/1', 'a/f/1': '' };

/** Names with a common start, names that are equal when joined, and names with separators. */
const NAMES = ['a', 'a/f', 'a/f/1', 'a1', 'b', 'a b', 'a%2Ff', 'a|b', 'a-b'];

/** Ids that are equal when joined, cut, decoded twice or sorted. */
const KEYS: readonly Key[] = [
  { form: 'a', instance: '11' },
  { form: 'a1', instance: '1' },
  { form: 'a', instance: '1' },
  { form: 'a/f', instance: '1' },
  { form: 'a%2Ff', instance: '1' },
  { form: 'a|b:%', instance: '1' },
  { form: 'a b', instance: '-1' },
  { form: 'a-b', instance: '9223372036854775807' },
];

// The first ones are drawn often, because leaks need equal or similar ids.
const anyKey = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...KEYS.slice(0, 3)) },
  { weight: 2, arbitrary: fc.constantFrom(...KEYS.slice(3)) },
);
const rarely = fc.nat(5).map((number) => number === 5);

const anySending: fc.Arbitrary<Sending> = fc.record({
  session: fc.nat(1),
  via: fc.constantFrom('bearer', 'cookie'),
  isStray: rarely,
  isLeaving: rarely,
});

/** Draws one of these operations, and returns a function that creates its command. */
const anyOf = (operations: Operations, key = anyKey, isKeyed = false) =>
  fc.tuple(fc.constantFrom(...Object.entries(operations)), fc.tuple(key, anyKey), anySending).map(
    ([[name, operation], keys, sending]) =>
      (who: number) =>
        execute(name, operation, keys, sending, isKeyed, who),
  );

const anyCreator: fc.Arbitrary<(who: number) => Command> = fc.oneof(
  { weight: 14, arbitrary: anyOf(READS) },
  { weight: 13, arbitrary: anyOf(DEFINITIONS) },
  { weight: 8, arbitrary: anyOf(SUBSCRIPTIONS) },
  { weight: 5, arbitrary: anyOf(CHANGES) },
  { weight: 5, arbitrary: anyOf(CHANGES, fc.constantFrom(...KEYS.slice(0, 2)), true) },
  { weight: 5, arbitrary: anyOf(OTHER_CHANGES) },
  { weight: 6, arbitrary: fc.constantFrom(signIn, revoke, guess) },
  { weight: 2, arbitrary: anySending.map((sending) => (who: number) => signOut(sending, who)) },
  { weight: 1, arbitrary: fc.constant(expire) },
);

/** Draws a command, and sometimes the same command of the next caller. */
const anyCommand = fc
  .tuple(anyCreator, fc.nat(3), rarely)
  .map(([create, who, isEchoed]) => (isEchoed ? [create(who), create(who + 1)] : [create(who)]));

const anyConcurrent = fc
  .tuple(
    fc.array(anyCommand, { minLength: 1, maxLength: 7, size: 'max' }),
    fc.option(fc.nat(3), { nil: undefined, freq: 2 }),
  )
  .map(([commands, held]) => concurrently(commands.flat(), held));

/** Draws the callers of a sequence, and the forms that they may not see. */
const anyPeople = fc
  .tuple(
    fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 2, maxLength: 4 }),
    fc.array(fc.record({ who: fc.nat(3), key: anyKey, status: fc.constantFrom(403, 404) }), {
      maxLength: 3,
      size: 'max',
    }),
  )
  .map(([names, refusals]) =>
    names.map((name, index) => ({
      name,
      refusals: refusals.filter(({ who }) => who % names.length === index),
    })),
  );

/**
 * Creates a person of a sequence. The number of the sequence goes after the first letter of the
 * name: names of one sequence stay similar, and differ from all other sequences.
 */
function createPerson(
  name: string,
  refusals: readonly { readonly key: Key; readonly status: 403 | 404 }[],
  sequence: number,
): Person {
  const unique = `${name[0]}~${sequence}~${name.slice(1)}`;
  const hex = Buffer.from(name).toString('hex');
  return {
    code: `${sequence}x${hex}`,
    name: unique,
    password: `${SECRETS.password}.${unique}`,
    tokenStart: `${TOKEN_STARTS[name] ?? hex}~${sequence}`,
    listedForms: [`${sequence}.list1`, `${sequence}.list2`],
    refusals: new Map(refusals.map(({ key, status }) => [`${sequence}.${key.form}`, status])),
  };
}

interface RunOptions {
  /** The number of sequences. */
  readonly runs: number;
  readonly env?: Readonly<Record<string, string>>;
  /** The number of gateways. Default: 1. */
  readonly replicas?: number;
  /** The folder of a program with a planted leak. */
  readonly root?: string;
  /** Matches the problem of the planted leak. Others do not count. */
  readonly leak?: RegExp;
}

/** Runs random sequences against gateways. Returns the report of a leak, if there is one. */
export async function findLeak(setup: Setup, options: RunOptions): Promise<string | undefined> {
  const { runs, env, replicas = 1, root, leak } = options;
  const platform = await startPlatform(setup);
  const client = createClient();
  const start = () =>
    Promise.all(
      Array.from({ length: replicas }, () => startGateway(setup, platform.url, env, root)),
    );
  let gateways = await start();
  const end = async () => (await Promise.all(gateways.map((gateway) => gateway.end()))).flat();
  const real: Real = {
    platform,
    send(request, session) {
      // A caller's next session may be at another replica. The last character has only two bits.
      const code = session?.secret.at(-3)?.charCodeAt(0) ?? 0;
      return client(gateways[code % replicas]?.url ?? '', request);
    },
    mayWait: leak !== undefined,
    lateCalls: new Set(),
  };
  let sequence = 0;
  const commands = fc.commands([anyConcurrent], limitCommands(5));
  const property = fc.asyncProperty(anyPeople, commands, async (people, drawn) => {
    sequence++;
    const model: Model = {
      ...{ ...setup, sequence, expectedCalls: new Set(), guessCount: 0, streams: [] },
      callers: people.map(({ name, refusals }) => {
        const person = createPerson(name, refusals, sequence);
        platform.add(person);
        return { person, sessions: [] };
      }),
    };
    const setUp = async () => {
      const signIns = model.callers.map((_, who) => signIn(who));
      await concurrently(signIns, 0).run(model, real);
      return { model, real };
    };
    try {
      await fc.asyncModelRun(setUp, drawn);
    } catch (error) {
      if (leak?.test(String(error)) === false) return;
      // A leak may leave traces in the process, and the next sequences show the smallest failure.
      if (!leak) {
        await end();
        gateways = await start();
      }
      throw error;
    } finally {
      for (const { answer } of model.streams) answer.close();
    }
  });
  const report = await findFailure(property, runs, leak !== undefined);
  return report ?? (await end()).find((problem) => leak?.test(problem) !== false);
}
