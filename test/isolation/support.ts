import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { Agent } from 'undici';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';

import { runMain } from '../support/run.ts';
import { SECRETS, type Variant } from './platform.ts';

const ROOT = join(import.meta.dirname, '../..');
const { ISOLATION_SEQUENCES, ISOLATION_SEED, ISOLATION_PATH, ISOLATION_REPLAY } = process.env;

/** The number of sequences of all setups together. Planted leaks show within 25. */
export const SEQUENCES = Number(ISOLATION_SEQUENCES ?? 120);

/** The number of sequences for a planted leak: as many as each setup has by default. */
export const LEAK_SEQUENCES = 30;

/**
 * The parameters of a random run. fast-check prints seed, path and replay path of a failure, and
 * setting them repeats it.
 */
const RANDOM = {
  seed: Number(ISOLATION_SEED ?? Math.floor(Math.random() * 2 ** 31)),
  ...(ISOLATION_PATH && { path: ISOLATION_PATH }),
};

/** The parameters for planted leaks, which no run may miss by chance. */
const FIXED = { seed: Number(ISOLATION_SEED ?? 1), endOnFailure: true };

/** The limits of a list of commands, as `fc.commands` takes them. */
export const limitCommands = (maxCommands: number): fc.CommandsContraints => ({
  maxCommands,
  size: 'max',
  ...(ISOLATION_REPLAY && { replayPath: ISOLATION_REPLAY }),
});

/** How callers sign in at the gateway, and how the gateway signs in at the platform. */
export interface Setup {
  readonly mode: 'user' | 'forward';
  readonly variant: Variant;
}

/** Runs random sequences until one fails. Returns the report of the smallest failed one. */
export async function findFailure<T>(
  property: fc.IAsyncProperty<T>,
  runs: number,
  isFixed = false,
) {
  const parameters = isFixed ? FIXED : RANDOM;
  const details = await fc.check(property, {
    numRuns: runs,
    includeErrorInReport: true,
    ...parameters,
  });
  return details.failed ? fc.defaultReportMessage(details) : undefined;
}

/** Waits for all promises. Throws one error with the messages of all that are rejected. */
export async function untilAll(running: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(running);
  const failed = results.filter((result) => result.status === 'rejected');
  if (failed.length > 0) throw new Error(failed.map(({ reason }) => reason.message).join('\n'));
}

/**
 * Starts the program in a process of its own. It ends with the test.
 *
 * @param root the folder of a program with a planted leak. Default: this checkout.
 */
export async function startProgram(env: Readonly<Record<string, string>>, root?: string) {
  const settings = {
    PORT: '0',
    NODE_ENV: 'production',
    EXTENSIONS: join(import.meta.dirname, 'extension.ts'),
    ...env,
  };
  const run = runMain([], settings, undefined, root && join(root, 'src/main.ts'));
  return { run, url: await run.printed(/GraphQL at (\S+)\/graphql/) };
}

/** Starts a gateway for people with accounts at a platform. */
export async function startGateway(
  { mode, variant }: Setup,
  upstreamUrl: string,
  env: Readonly<Record<string, string>> = {},
  root?: string,
) {
  const settings = {
    LOG_LEVEL: 'debug',
    IDENTITY: mode,
    UPSTREAM_URL: upstreamUrl,
    UPSTREAM_AUTH: variant === 'A' ? 'credentials' : 'basic',
    SESSION_KEYS: Buffer.alloc(32, 7).toString('base64url'),
    ...env,
  };
  const { run, url } = await startProgram(settings, root);
  return {
    url,
    /** Kills the process after its last line, and returns the secrets in its output. */
    async end(): Promise<string[]> {
      const headers = { 'x-request-id': 'the-last-request' };
      // A process that has ended by itself does not respond.
      await fetch(`${url}/graphql?query={__typename}`, { headers }).catch(() => undefined);
      await run.printed(/the-last-request/).catch(() => undefined);
      run.stop('SIGKILL');
      const { code, stdout, stderr } = await run.ended;
      const output = stdout + stderr;
      const session = 'eyJhbGciOiJkaXIi';
      const secrets = ['cnry!', session, ...Object.values(SECRETS)];
      const printed = secrets.filter((secret) => output.includes(secret));
      return [
        ...printed.map((secret) => `the process printed ${secret}`),
        ...(code === null ? [] : [`the process ended with ${code}: ${stderr}`]),
      ];
    },
  };
}

/** A response as received. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Returns the text received so far. */
  readonly text: () => string;
  /** The parsed body, or the first result of a stream. */
  readonly body: {
    // biome-ignore lint/suspicious/noExplicitAny: each command knows its shape.
    readonly data?: any;
    readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[];
  };
  /** Resolves when the response has ended. */
  readonly ended: Promise<void>;
  /** Ends a stream. */
  readonly close: () => void;
}

export interface GraphqlRequest {
  readonly query: string;
  readonly variables?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Disconnects the client. */
  readonly signal?: AbortSignal;
}

/** Returns the variables that a query declares. */
export function pickVariables(query: string, all: Readonly<Record<string, unknown>>): object {
  const declared = Object.entries(all).filter(([name]) => query.includes(`$${name}:`));
  return Object.fromEntries(declared);
}

const FIRST_RESULT = /event: next\ndata: (.*)\n\n/;

/** Creates a client that retries at an overloaded gateway. It ends with the test. */
export function createClient() {
  const agent = new Agent({ pipelining: 1 });
  onTestFinished(() => agent.destroy());

  /** Sends a request, and waits for the response or for the first result of a stream. */
  return async function send(url: string, request: GraphqlRequest, tries = 100): Promise<Answer> {
    const { query, variables, headers: sent, signal } = request;
    const isSubscription = query.startsWith('subscription');
    const { statusCode, headers, body } = await agent.request({
      origin: url,
      path: '/graphql',
      method: 'POST',
      signal: signal ?? null,
      headers: {
        'content-type': 'application/json',
        accept: isSubscription ? 'text/event-stream' : 'application/json',
        ...sent,
      },
      body: JSON.stringify({ query, variables }),
    });
    const isStream = String(headers['content-type']).startsWith('text/event-stream');
    const first = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    let text = '';
    body.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      if (isStream && FIRST_RESULT.test(text)) first.resolve();
    });
    for (const end of ['end', 'close', 'error']) body.on(end, () => ended.resolve());
    await Promise.race([first.promise, ended.promise]);
    signal?.throwIfAborted();
    if (statusCode === 503 && tries > 1) return send(url, request, tries - 1);

    const json = isStream ? FIRST_RESULT.exec(text)?.[1] : text;
    return {
      status: statusCode,
      headers,
      text: () => text,
      ended: ended.promise,
      body: JSON.parse(json ?? '{}'),
      close: () => body.destroy(),
    };
  };
}

/** A place in the source code, and the text that replaces it. */
export type PlantedLeak = readonly [file: string, before: string | RegExp, after: string];

/**
 * Copies the program for all leaks of a test file, so that Node reuses its compiled code. Returns a
 * function that plants a leak until the test ends, and returns the folder.
 */
export function copyProgram(): (leak: PlantedLeak) => string {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'caseway-leak-'));
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    for (const path of ['src', 'schema', 'package.json'])
      cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  return ([file, before, after]) => {
    const path = join(folder, 'src', file);
    const text = readFileSync(path, 'utf8');
    const changed = text.replace(before, after);
    expect(changed, `${before} in ${file}`).not.toBe(text);
    writeFileSync(path, changed);
    onTestFinished(() => writeFileSync(path, text));
    return folder;
  };
}
