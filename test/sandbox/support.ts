import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, onTestFinished } from 'vitest';

import {
  type AnsweredCall,
  createSandbox,
  type Sandbox,
  type SandboxOptions,
} from '../../sandbox/index.ts';
import { SAMPLES } from '../support/samples.ts';

export type Variant = 'A' | 'B';

export interface SandboxRequest {
  readonly method: string;
  /** The path below `/v1.0`. A path that starts with `//` is sent from the root. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Text is sent unchanged, anything else as JSON. */
  readonly body?: unknown;
}

interface SandboxAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON. Use `text` to check digits. Each test reads only members that it expects. */
  readonly body: Body;
}

/** Every member of every body. */
export interface Body {
  readonly message: string;
  readonly errorCode: string;
  readonly violations?: readonly { readonly field: string; readonly message: string }[];
  readonly access_token: string;
  readonly expires_in: number;
  readonly items: readonly Body[];
  readonly total: number;
  readonly 'page-number': number;
  readonly 'per-page': number;
  readonly links: readonly {
    readonly rel: string;
    readonly href: string;
    readonly methods: readonly string[];
  }[];
  readonly idForm: string;
  readonly idInstance: number;
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** A sandbox on a free port of loopback, with a clock that only the test moves. */
export async function startSandbox(options: Partial<SandboxOptions> = {}) {
  const clock = { nowMs: Date.UTC(2026, 7, 3, 9, 30) };
  const answers: AnsweredCall[] = [];
  const sandbox: Sandbox = createSandbox({
    file: ':memory:',
    definitions: SAMPLES,
    requestLimit: 0,
    now: () => clock.nowMs,
    onAnswer: (call) => void answers.push(call),
    ...options,
  });
  const origin = await sandbox.listen({ port: 0, host: '127.0.0.1' });

  const send = async ({ method, path, headers, body }: SandboxRequest): Promise<SandboxAnswer> => {
    const url = path.startsWith('//') ? `${origin}${path.slice(1)}` : `${origin}/v1.0${path}`;
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(url, {
      method,
      headers: { ...headers },
      ...(text !== undefined && { body: text }),
    });
    return toAnswer(response.status, response.headers, await response.text());
  };

  /** The headers of every call but getToken, as each variant sends them. */
  const signIn = async (username = 'demo', variant: Variant = 'A') => {
    const answer = await send(tokenRequest(variant, { username }));
    if (variant === 'B')
      return { authorization: `Bearer ${answer.body.access_token}`, accept: 'application/json' };
    const authorization = answer.headers.get('authorization') ?? '';
    return { authorization, accept: 'application/json', 'content-type': 'application/json' };
  };

  /** Calls as one user; every further call reuses the token. */
  const as = async (username = 'demo', variant: Variant = 'A') => {
    const headers = await signIn(username, variant);
    return (method: string, path: string, body?: unknown) => send({ method, path, headers, body });
  };
  return { ...sandbox, origin, clock, answers, send, signIn, as };
}

/** A sandbox for one test, closed when that ends. */
export async function openSandbox(options: Partial<SandboxOptions> = {}) {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Opens a sandbox for one test, and returns a function that calls it as a user. */
export const openCalls = async (username?: string) => (await openSandbox()).as(username);

/** Starts one sandbox for all tests of a file, and returns a function that calls it as `demo`. */
export function shareCalls() {
  let call: Awaited<ReturnType<typeof openCalls>>;
  beforeAll(async () => {
    const sandbox = await startSandbox();
    call = await sandbox.as();
    return sandbox.close;
  });
  return (...request: Parameters<typeof call>) => call(...request);
}

/** getToken as a variant asks it. The sample users' passwords are their names. */
export function tokenRequest(
  variant: Variant,
  asked: Partial<Record<'username' | 'password' | 'path', string>> = {},
): SandboxRequest {
  const { username = 'demo', password = username, path = '/token' } = asked;
  if (variant === 'A') {
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    return { method: 'POST', path, headers, body: { username, password } };
  }
  const headers = {
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  };
  return { method: 'POST', path, headers, body: 'grant_type=client_credentials' };
}

/** Sends bytes as they are, and resolves to all that comes back until the connection ends. */
export function sendRaw(origin: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname, () => socket.write(bytes));
  return text(socket);
}

function toAnswer(status: number, headers: Headers, text: string): SandboxAnswer {
  const isJson = headers.get('content-type')?.startsWith('application/json') ?? false;
  return { status, headers, text, body: isJson ? JSON.parse(text) : {} };
}

/** The definition of the user demo with all permissions. */
export const USERS = `
users:
  - username: demo
    password: demo
    about: may do everything
    permissions:
      forms: { "*": [read, create, update, delete] }
      processes: { "*": [start, execute] }
      rules: { "*": [read, execute] }
`;
