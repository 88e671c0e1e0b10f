import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';

import { listen } from '../../support/listen.ts';

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
  const revoked = new Set<string>();
  /** The number of changes of each form. It is part of the values of all instances. */
  const changes = new Map<string, number>();
  const arrivals = new EventEmitter().setMaxListeners(0);
  let calls: Call[] = [];
  let held: { readonly person: Person; readonly end: PromiseWithResolvers<void> } | undefined;
  let tokenCount = 0;

  async function record(call: Call): Promise<void> {
    calls.push(call);
    if (call.person === undefined) return;
    arrivals.emit(call.person.code);
    if (call.person === held?.person) await held.end.promise;
  }

  function issue(person: Person): string {
    const token = `${person.tokenStart}.${SECRETS.token}${++tokenCount}`;
    owners.set(token, person);
    return token;
  }

  async function signIn(call: Omit<Call, 'person'>, authorization: string): Promise<Answer> {
    const { username, password } =
      variant === 'A' ? JSON.parse(call.body) : readBasic(authorization);
    const account = people.get(username);
    const person = account?.password === password.replace(BRIEFLY, '') ? account : undefined;
    await record({ ...call, person });
    if (person === undefined) return { status: variant === 'A' ? 401 : 400 };

    const isBrief = password.endsWith(BRIEFLY);
    const token = issue(person);
    if (variant === 'A')
      return { status: 201, headers: { authorization: isBrief ? toJwt(token) : token } };
    const end = isBrief ? { expires_in: BRIEF_MS / 1_000 } : {};
    return { status: 200, body: { access_token: token, ...end } };
  }

  async function answer(request: IncomingMessage, body: string): Promise<Answer> {
    const { authorization = '', 'if-modified-since': since = '' } = request.headers;
    const [path = '', query] = (request.url ?? '').split('?');
    const call = { method: request.method ?? '', path, query: new URLSearchParams(query), body };
    if (path === TOKEN_PATH) return signIn(call, authorization);

    const token = authorization.slice(scheme.length);
    const person = owners.get(token);
    const form = path.split('/')[3] ?? '';
    if (call.method !== 'GET') changes.set(form, (changes.get(form) ?? 0) + 1);
    const changeCount = changes.get(form) ?? 0;
    await record({ ...call, person });
    if (person === undefined) return { status: 401 };
    if (revoked.has(token)) return refuse(401, person, path);

    const whole = answerTo({ ...call, person }, changeCount, options);
    const isRead = call.method === 'GET' || path.endsWith('/get-parameters');
    if (!isRead || whole.status !== 200) return whole;
    const changedAtMs = changeCount * 1_000;
    return {
      ...(Date.parse(since) >= changedAtMs ? { status: 304 } : whole),
      headers: { 'last-modified': new Date(changedAtMs).toUTCString() },
    };
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

function readBasic(authorization: string) {
  const credentials = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();
  const [username = '', password = ''] = credentials.split(':');
  return { username, password };
}

/** Returns a token with an expiry, which variant A can only have in a JWT. */
function toJwt(token: string): string {
  const claims = JSON.stringify({ exp: (Date.now() + BRIEF_MS) / 1_000 });
  return `e30.${Buffer.from(claims).toString('base64url')}.${token}`;
}

/** Returns a refusal with a stamp in its message. */
const refuse = (status: number, person: Person, path: string): Answer => ({
  status,
  body: { message: `refused: ${stampOf(person, path)}`, errorCode: `E${status}` },
});

function answerTo(
  { method, path, query, person }: Call & { readonly person: Person },
  changes: number,
  { totalOf = () => 2, nextOf = (formId) => formId }: PlatformOptions,
): Answer {
  const stamp = stampOf(person, path);
  const [, , kind, id, list, instanceId] = path.split('/').map(decodeURIComponent);
  if (kind === 'cases')
    return { status: method === 'POST' ? 201 : 202, body: { idCase: 1, note: stamp } };
  if (kind === 'rules') {
    const isExecuted = path.endsWith('/execute');
    const outputs = [{ name: 'stamp', type: 'text', value: stamp }];
    return { status: 200, body: isExecuted ? outputs : { name: stamp, parameters: [] } };
  }

  const conditions = [...(query.get('search') ?? '').matchAll(/(\w+)=(\w+):([^,]*)/g)];
  const listedIds = conditions.find(([, name]) => name?.startsWith('id'))?.[3]?.split('|');
  const size = Number(query.get('per-page') ?? 20);
  const from = (Number(query.get('page-number') ?? 1) - 1) * size;
  const listOf = (ids: readonly string[], recordAt: (id: string) => object): Answer => ({
    status: 200,
    body: { items: ids.slice(from, from + size).map(recordAt), total: ids.length },
  });
  const formAt = (idForm: string) => ({
    idForm,
    name: idForm,
    description: stampOf(person, `/v1.0/forms/${encodeURIComponent(idForm)}`),
    fields: [
      { name: 'stamp', type: 'text' },
      { name: 'next', type: 'reference', reference: nextOf(idForm) },
    ],
  });
  if (id === undefined) {
    const names = conditions.find(([, name]) => name === 'name')?.[3]?.split('|');
    const visible = (listedIds ?? person.listedForms).filter(
      (formId) => !person.refusals.has(formId) && names?.includes(formId) !== false,
    );
    return listOf(visible, formAt);
  }
  const refusal = person.refusals.get(id);
  if (refusal !== undefined) return refuse(refusal, person, path);
  if (list === undefined) return { status: 200, body: formAt(id) };

  const [instancesPath] = /^.*\/instances/.exec(path) ?? [];
  const mark = conditions.find(([, name]) => name === 'mark')?.[3];
  const instanceAt = (idInstance: string) => ({
    idInstance,
    values: { stamp: stampOf(person, `${instancesPath}/${idInstance}`), next: '2', mark, changes },
  });
  if (instanceId !== undefined) {
    if (method === 'GET') return { status: 200, body: instanceAt(instanceId) };
    return method === 'DELETE' ? { status: 204 } : { status: 202, body: { message: stamp } };
  }
  if (method === 'POST') return { status: 201, body: instanceAt('5') };
  const ids = listedIds ?? Array.from({ length: totalOf(id) }, (_, index) => String(index + 1));
  return listOf(ids, instanceAt);
}
