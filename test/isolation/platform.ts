import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';

import { listen } from '../support/listen.ts';

/** The interface's two ways to sign in: with a JSON body, or with a basic header. */
export type Variant = 'A' | 'B';

/** A person with an account at the platform. */
export interface Person {
  /** The person's name in every stamp. It is unique among all sequences. */
  readonly code: string;
  readonly name: string;
  readonly password: string;
  /** The start of the person's tokens. */
  readonly tokenStart: string;
  /** The ids of the forms in the list of forms. */
  readonly listedForms: readonly string[];
  /** The status of the forms that the person may not see, by the form's id. */
  readonly refusals: ReadonlyMap<string, 403 | 404>;
}

/** One call that reached the platform. */
export interface Call {
  /** The owner of the token or credentials. `undefined` without an owner. */
  readonly person: Person | undefined;
  readonly method: string;
  /** The path without its query, as sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface PlatformOptions {
  readonly variant: Variant;
  /** Returns the number of a form's instances. Default: 2. */
  readonly totalOf?: (formId: string) => number;
  /** Returns the form that a form's instances refer to. Default: the form itself. */
  readonly nextOf?: (formId: string) => string;
}

/** Part of every token and password, so that a leaked one is found. */
export const SECRETS = { token: 'tkn!', password: 'pwd!' };

/** A password that ends like this gets a token that expires almost at once. */
export const BRIEFLY = '.briefly';
const BRIEF_MS = 40;

/** Returns the start of a token that expires almost at once: a JWT has its expiry in its middle. */
function startBriefJwt(): string {
  const claims = JSON.stringify({ exp: (Date.now() + BRIEF_MS) / 1_000 });
  return `e30.${Buffer.from(claims).toString('base64url')}.`;
}

/** The minimum time of a response, so that concurrent requests overlap. */
const LATENCY_MS = 2;

export const TOKEN_PATH = '/v1.0/token';

/** Returns the stamp of a resource that the platform shows to this person. */
export const stampOf = ({ code }: Pick<Person, 'code'>, path: string) => `cnry!${code};${path};`;

/** Returns the stamps in a text. */
export const stampsIn = (content: string) =>
  [...content.matchAll(/cnry!(\w+);([^;]*);/g)].map(([, code, path = '']) => ({ code, path }));

export type Platform = Awaited<ReturnType<typeof startPlatform>>;

/**
 * Starts a platform that stamps each record with its caller and its path, and records all calls. It
 * ends with the test.
 */
export async function startPlatform(options: PlatformOptions) {
  const { variant } = options;
  const scheme = variant === 'A' ? '' : 'Bearer ';
  const people = new Map<string, Person>();
  const owners = new Map<string, Person>();
  const tokenCounts = new Map<Person, number>();
  const revoked = new Set<string>();
  /** The number of changes of each form. It is part of the values of all instances. */
  const changes = new Map<string, number>();
  const arrivals = new EventEmitter().setMaxListeners(0);
  let calls: Call[] = [];
  let held: { readonly person: Person; readonly end: PromiseWithResolvers<void> } | undefined;

  async function record(call: Call): Promise<void> {
    calls.push(call);
    if (call.person === undefined) return;
    arrivals.emit(call.person.code);
    if (call.person === held?.person) await held.end.promise;
  }

  function issue(person: Person, start = ''): string {
    const count = (tokenCounts.get(person) ?? 0) + 1;
    tokenCounts.set(person, count);
    const token = `${start}${person.tokenStart}.${SECRETS.token}${count}`;
    owners.set(token, person);
    return token;
  }

  function openSession(person: Person, isBrief: boolean): Answer {
    if (variant === 'A') {
      const token = issue(person, isBrief ? startBriefJwt() : '');
      return { status: 201, headers: { authorization: token } };
    }
    const lifetime = isBrief ? BRIEF_MS / 1_000 : undefined;
    return { status: 200, body: { access_token: issue(person), expires_in: lifetime } };
  }

  async function signIn(call: Omit<Call, 'person'>, authorization: string): Promise<Answer> {
    const { username, password } = readCredentials[variant](call.body, authorization);
    const account = people.get(username);
    const isRight = account?.password === password.replace(BRIEFLY, '');
    const person = isRight ? account : undefined;
    await record({ ...call, person });
    if (person === undefined) return { status: variant === 'A' ? 401 : 400 };

    return openSession(person, password.endsWith(BRIEFLY));
  }

  async function answer(request: IncomingMessage, body: string): Promise<Answer> {
    const { authorization = '', 'if-modified-since': since = '' } = request.headers;
    const [path = '', query] = String(request.url).split('?');
    const call = { method: String(request.method), path, query: new URLSearchParams(query), body };
    if (path === TOKEN_PATH) return signIn(call, authorization);

    const token = authorization.slice(scheme.length);
    const person = owners.get(token);
    const form = path.split('/')[3] ?? '';
    const changeCount = (changes.get(form) ?? 0) + Number(call.method !== 'GET');
    changes.set(form, changeCount);
    await record({ ...call, person });
    if (person === undefined) return { status: 401 };
    if (revoked.has(token)) return refuse(401, person, path);
    const whole = answerTo({ ...call, person }, changeCount, options);
    return unlessUnchanged(whole, since, changeCount * 1_000);
  }

  const server = createServer(async (request, response) => {
    // A killed process may have sent only a part of its request.
    const content = await text(request).catch(() => undefined);
    if (content === undefined) return;
    const { status, headers, body } = await answer(request, content);
    await wait(LATENCY_MS);
    if (body !== undefined) response.setHeader('content-type', 'application/json');
    response.setHeader('set-cookie', 'platform=cnry!0;cookie;');
    response.writeHead(status, headers).end(body && JSON.stringify(body));
  });

  return {
    url: await listen(server),
    add: (person: Person) => people.set(person.name, person),
    /** Returns the whole `Authorization` header of a new token. */
    issueToken: (person: Person) => `${scheme}${issue(person)}`,
    /** Revokes all tokens of this person. */
    revoke(person: Person) {
      for (const [token, owner] of owners) if (owner === person) revoked.add(token);
    },
    /** Resolves at this person's next call. */
    nextCall: ({ code }: Person) => once(arrivals, code),
    /** Delays the calls of this person until `release`. */
    hold(person: Person) {
      held = { person, end: Promise.withResolvers() };
    },
    release() {
      held?.end.resolve();
      held = undefined;
    },
    /** Returns the calls since the last time. */
    takeCalls() {
      const taken = calls;
      calls = [];
      return taken;
    },
  };
}

const readCredentials = {
  A: (body: string) => JSON.parse(body),
  B(_body: string, authorization: string) {
    const credentials = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();
    const [username = '', password = ''] = credentials.split(':');
    return { username, password };
  },
};

/** Returns a response with its date, or 304. */
function unlessUnchanged(answer: Answer, since: string, changedAtMs: number): Answer {
  if (answer.status !== 200) return answer;
  const headers = { 'last-modified': new Date(changedAtMs).toUTCString() };
  return { ...(Date.parse(since) >= changedAtMs ? { status: 304 } : answer), headers };
}

/** Returns a refusal with a stamp in its message. */
const refuse = (status: number, person: Person, path: string): Answer => ({
  status,
  body: { message: `refused: ${stampOf(person, path)}`, errorCode: `E${status}` },
});

/** A call whose caller is known. */
interface PersonalCall extends Call {
  readonly person: Person;
}

function answerTo(call: PersonalCall, changes: number, options: PlatformOptions): Answer {
  const { method, path, person } = call;
  const stamp = stampOf(person, path);
  const [, , kind, id] = path.split('/').map(decodeURIComponent);
  if (kind === 'cases')
    return { status: method === 'POST' ? 201 : 202, body: { idCase: 1, note: stamp } };
  if (path.endsWith('/execute'))
    return { status: 200, body: [{ name: 'stamp', type: 'text', value: stamp }] };
  if (kind === 'rules') return { status: 200, body: { name: stamp, parameters: [] } };
  if (id === undefined) {
    const names = readCondition(call, 'name');
    const visible = (readCondition(call, 'idForm') ?? person.listedForms).filter(
      (formId) => !person.refusals.has(formId) && names?.includes(formId) !== false,
    );
    return pageOf(call, visible, (formId) => formAt(person, formId, options));
  }
  const refusal = person.refusals.get(id);
  if (refusal !== undefined) return refuse(refusal, person, path);
  return path.includes('/instances')
    ? answerInstances(call, id, changes, options)
    : { status: 200, body: formAt(person, id, options) };
}

function answerInstances(
  call: PersonalCall,
  formId: string,
  changes: number,
  { totalOf = () => 2 }: PlatformOptions,
): Answer {
  const { method, path, person } = call;
  const [list = '', instanceId] = path.split(/(?<=\/instances)\//);
  const mark = readCondition(call, 'mark')?.join();
  const instanceAt = (idInstance: string) => ({
    idInstance,
    values: { stamp: stampOf(person, `${list}/${idInstance}`), next: '2', mark, changes },
  });
  if (method === 'POST') return { status: 201, body: instanceAt('5') };
  if (method === 'DELETE') return { status: 204 };
  if (method !== 'GET') return { status: 202, body: { message: stampOf(person, path) } };
  if (instanceId !== undefined) return { status: 200, body: instanceAt(instanceId) };
  const all = Array.from({ length: totalOf(formId) }, (_, index) => String(index + 1));
  return pageOf(call, readCondition(call, 'idInstance') ?? all, instanceAt);
}

const formAt = (
  person: Person,
  idForm: string,
  { nextOf = (formId) => formId }: PlatformOptions,
) => ({
  idForm,
  name: idForm,
  description: stampOf(person, `/v1.0/forms/${encodeURIComponent(idForm)}`),
  fields: [
    { name: 'stamp', type: 'text' },
    { name: 'next', type: 'reference', reference: nextOf(idForm) },
  ],
});

/** Returns the values that a search has for a field. */
function readCondition({ query }: Call, field: string): string[] | undefined {
  const pattern = new RegExp(`(?:^|,)${field}=\\w+:([^,]*)`);
  return pattern.exec(query.get('search') ?? '')?.[1]?.split('|');
}

/** Returns the requested page of a list. */
function pageOf({ query }: Call, ids: readonly string[], recordAt: (id: string) => object): Answer {
  const size = Number(query.get('per-page') ?? 20);
  const start = (Number(query.get('page-number') ?? 1) - 1) * size;
  const items = ids.slice(start, start + size).map(recordAt);
  return { status: 200, body: { items, total: ids.length } };
}
