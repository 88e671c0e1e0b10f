import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { UpstreamError } from '../../../src/core/errors.ts';
import { createObservers } from '../../../src/core/observers.ts';
import type { Call, HttpResponse, ReadOptions } from '../../../src/upstream/call.ts';
import { createCallBudget, createConnectionSlots } from '../../../src/upstream/call-budget.ts';
import { acquireLease } from '../../../src/upstream/client.ts';
import { type Dialect, readDialect } from '../../../src/upstream/dialect.ts';
import { createHttpClient } from '../../../src/upstream/http.ts';
import {
  createUpstreamFactory,
  type Upstream,
  type UpstreamFactory,
  type UpstreamOptions,
} from '../../../src/upstream/index.ts';
import { OPERATIONS, type OperationName } from '../../../src/upstream/operations.ts';
import type { ReadResult } from '../../../src/upstream/records.ts';
import type { Credentials } from '../../../src/upstream/sign-in.ts';
import { ROWS } from '../../operations/index.ts';
import { listen } from '../../support/listen.ts';

/** Creates a dialect from the content of its file. */
export function dialectOf(file: unknown = {}): Dialect {
  const reading = readDialect(file);
  if ('problems' in reading) throw new Error(reading.problems.join('; '));
  return reading.value;
}

/** The credentials for `getToken`. */
export const CREDENTIALS = {
  A: { variant: 'A', body: { username: 'ann', password: 'secret' } },
  B: { variant: 'B', username: 'ann', password: 'secret' },
} as const satisfies Readonly<Record<'A' | 'B', Credentials>>;

/** Connects to a platform until the test ends. */
export function openFactory(
  baseUrl: string,
  options: Partial<UpstreamOptions> = {},
): UpstreamFactory {
  const factory = createUpstreamFactory({
    baseUrl,
    variant: 'B',
    dialect: dialectOf(),
    timeoutMs: 10_000,
    callBudget: createCallBudget({}),
    observers: createObservers(),
    onConnection: () => undefined,
    onList: () => undefined,
    ...options,
  });
  onTestFinished(factory.close);
  return factory;
}

interface PlatformOptions extends Partial<UpstreamOptions> {
  /** Answers `getToken`. Default: a new token each time. */
  readonly issue?: Answerer;
}

/**
 * Opens an upstream over a server on loopback. `signedIn` has the calls of `getToken`, and
 * `requests` all others.
 */
export async function openPlatform(
  answer: Answerer | Reply,
  { issue, ...options }: PlatformOptions = {},
) {
  const { variant = 'B' } = options;
  const signedIn: Received[] = [];
  const requests: Received[] = [];
  const { url } = await startServer((received) => {
    const isSignIn = received.target === '/v1.0/token';
    (isSignIn ? signedIn : requests).push(received);
    if (isSignIn) return issue ? issue(received) : ISSUE[variant](signedIn.length);
    return typeof answer === 'function' ? answer(received) : answer;
  });
  const factory = openFactory(url, options);
  const upstream = factory.forService(CREDENTIALS[variant]);
  const readForm = (formId = 'a', options?: ReadOptions) =>
    upstream.read(OPERATIONS.getForm, { formId }, options);
  return { url, factory, upstream, readForm, requests, signedIn };
}

const ISSUE = {
  A: (count: number): Reply => ({ status: 201, headers: { authorization: `token-${count}` } }),
  B: (count: number): Reply => ({
    status: 200,
    body: { access_token: `token-${count}`, expires_in: 3600 },
  }),
} as const;

/** A request as received. */
export interface Received {
  readonly method: string;
  /** Path and query, undecoded. */
  readonly target: string;
  /** All values of each header, by its name in lower case. */
  readonly headers: IncomingMessage['headersDistinct'];
  readonly body: string;
}

/** A response. A body other than a string or a buffer is sent as JSON. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: unknown;
}

export type Answerer = (received: Received) => Reply | Promise<Reply>;

/** Starts a server on loopback that records its requests. It ends with the test. */
export async function startServer(answer: Answerer) {
  const received: Received[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url: target = '', headersDistinct: headers } = request;
    const arrived = { method, target, headers, body: await text(request) };
    received.push(arrived);
    const reply = await answer(arrived);
    const { body } = reply;
    response.writeHead(reply.status, reply.headers ?? {});
    response.end(
      body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
        ? body
        : JSON.stringify(body),
    );
  };
  const server = createServer((request, response) => void serve(request, response));
  return { url: await listen(server), received };
}

type Send = (call?: Partial<Call> & { readonly timeoutMs?: number }) => Promise<HttpResponse>;

/** Returns a function that sends single requests to this address, by default a read. */
export function openHttp(baseUrl: string): Send {
  const client = createHttpClient(baseUrl);
  onTestFinished(client.close);
  const send = createConnectionSlots()(acquireLease(client.send));
  return ({ timeoutMs = 10_000, ...call } = {}) =>
    send({ ...READ, endsAtMs: performance.now() + timeoutMs, ...call, headers: {} });
}

export const READ = {
  operation: 'getForm',
  kind: 'read',
  method: 'GET',
  path: '/v1.0/forms/a',
  sent: 1,
} as const;
export const WRITE = {
  operation: 'startCase',
  kind: 'write',
  method: 'POST',
  path: '/v1.0/cases',
  body: '{}',
} as const;

/** An empty response. */
export const OK = { status: 200, headers: {}, text: '{}' };

/**
 * Returns the failure of a call.
 *
 * @throws if it succeeded, or failed with another error than `UpstreamError`.
 */
export async function failureOf(call: Promise<unknown>): Promise<UpstreamError> {
  const outcome = await call.then(
    () => new Error('the call succeeded'),
    (error: unknown) => error,
  );
  if (outcome instanceof UpstreamError) return outcome;
  throw outcome;
}

/**
 * Returns the record of a read.
 *
 * @throws if the read reported that nothing has changed.
 */
export async function recordOf<T>(read: Promise<ReadResult<T> | undefined>): Promise<T> {
  const result = await read;
  if (result === undefined) throw new Error('the read resolved to no record');
  return result.record;
}

interface OperationCall {
  /** Whether its request has a body. */
  readonly hasBody: boolean;
  /** Calls the operation once. */
  readonly call: (upstream: Upstream) => Promise<unknown>;
}

/**
 * One call of every operation except `getToken`, as rows for `it.each`: name, method, and the call.
 */
export const CALL_ROWS = Object.entries(OPERATIONS).map(
  ([name, of]): [string, string, OperationCall] => {
    const args = ROWS[name as OperationName].args as never;
    const call = (upstream: Upstream) =>
      of.is === 'read'
        ? upstream.read<never, unknown>(of, args)
        : upstream.change<never, unknown>(of, args);
    return [name, of.method, { hasBody: 'body' in of, call }];
  },
);

/** A response with which every call succeeds. */
export const ANSWER = {
  status: 200,
  body: Object.assign({}, ...Object.values(ROWS).map(({ answer }) => answer)) as object,
};
