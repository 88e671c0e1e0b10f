import { Pool } from 'undici';
import { onTestFinished } from 'vitest';

import { startDeadline } from '../../../src/upstream/deadline.ts';
import { type Dialect, defaultDialect, readDialect } from '../../../src/upstream/dialect.ts';
import { UpstreamError } from '../../../src/upstream/errors.ts';
import {
  createExchanger,
  type Exchange,
  type Exchanger,
  type ExchangerOptions,
} from '../../../src/upstream/exchange.ts';
import { createUpstream, type Upstream } from '../../../src/upstream/index.ts';
import type { Patience } from '../../../src/upstream/patience.ts';
import type { ReadResult } from '../../../src/upstream/records.ts';
import { createTokenSource } from '../../../src/upstream/token-source.ts';
import { createVariantA, createVariantB } from '../../../src/upstream/variant.ts';
import { type Answerer, type Received, type Reply, startServer } from './http-server.ts';

type Bounds = Partial<ExchangerOptions> & { readonly connections?: number };

/** Opens the way to a base address, over a pool that ends with the test. */
export function openExchange(baseUrl: string, { connections = 8, ...bounds }: Bounds = {}): Exchanger {
  const dispatcher = new Pool(new URL(baseUrl).origin, { connections, connect: { timeout: 1_000 } });
  onTestFinished(() => dispatcher.destroy());
  return createExchanger({
    dispatcher,
    baseUrl,
    timeoutMs: 5_000,
    maxResponseBytes: 1_000_000,
    maxPending: 100,
    ...bounds,
  });
}

/** A read and a write, ready to exchange. */
export const READ: Exchange = {
  operation: 'getForm',
  method: 'GET',
  path: '/v1.0/forms/a',
  headers: {},
  isWrite: false,
};
export const WRITE: Exchange = {
  operation: 'startCase',
  method: 'POST',
  path: '/v1.0/cases',
  headers: {},
  body: '{}',
  isWrite: true,
};

/** Makes a dialect from what its file would hold. */
export function dialectOf(file: unknown = {}): Dialect {
  const reading = readDialect(file);
  if ('problems' in reading) throw new Error(reading.problems.join('; '));
  return reading.dialect;
}

interface PlatformOptions {
  readonly dialect?: Dialect;
  /** Answers `getToken`; by default with a new token each time. */
  readonly issue?: Answerer;
  /** By default variant B. */
  readonly variant?: 'A' | 'B';
  readonly repeats?: 'all' | 'reads';
}

/** Opens an upstream over a server on loopback: `asked` holds its calls but `getToken`, `signedIn` those of `getToken`. */
export async function openPlatform(answer: Answerer | Reply, options: PlatformOptions = {}) {
  const { dialect = defaultDialect(), variant: letter = 'B' } = options;
  const signedIn: Received[] = [];
  const asked: Received[] = [];
  const issue = options.issue ?? (() => ISSUE[letter](signedIn.length));
  const { url } = await startServer((received) => {
    const isSignIn = received.target === '/v1.0/token';
    (isSignIn ? signedIn : asked).push(received);
    if (isSignIn) return issue(received);
    return typeof answer === 'function' ? answer(received) : answer;
  });
  const way = { exchange: openExchange(url), tokenPath: '/v1.0/token', dialect };
  const variant =
    letter === 'A'
      ? createVariantA({ username: 'ann', password: 'secret' }, way)
      : createVariantB({ username: 'ann', password: 'secret', grantType: 'client_credentials' }, way);
  const upstream: Upstream = createUpstream({
    exchange: way.exchange,
    headers: variant.headers,
    tokens: createTokenSource({ issue: variant.issue }),
    dialect,
    patience: ONCE,
    repeats: options.repeats,
  });
  return { upstream, asked, signedIn };
}

/** Tries everything once, for five seconds. */
export const ONCE: Patience = { run: (_task, attempt) => attempt(startDeadline(5_000)) };

const ISSUE = {
  A: (count: number): Reply => ({ status: 201, headers: { authorization: `token-${count}` } }),
  B: (count: number): Reply => ({ status: 200, body: { access_token: `token-${count}`, expires_in: 3600 } }),
} as const;

/** Gives how a call failed; fails when it did not, or by an error that is none of the upstream's. */
export async function failureOf(call: Promise<unknown>): Promise<UpstreamError> {
  const outcome = await call.then(
    () => new Error('the call succeeded'),
    (error: unknown) => error,
  );
  if (outcome instanceof UpstreamError) return outcome;
  throw outcome;
}

/** Gives the record that a read resolved to; fails when it is that nothing has changed. */
export async function recordOf<T>(read: Promise<ReadResult<T>>): Promise<T> {
  const result = await read;
  if (result.notModified) throw new Error('the read resolved to no record');
  return result.record;
}
