import { afterAll, beforeAll, beforeEach, expect } from 'vitest';

import { createSandbox, type SandboxOptions } from '../../sandbox/index.ts';
import { readConfig, startGateway as start } from '../../src/app/index.ts';
import { createLog } from '../../src/core/log.ts';
import type { Signals } from '../../src/features/command.ts';
import { limitsOf } from './limits.ts';
import { closeWithTest } from './listen.ts';
import { SAMPLES } from './samples.ts';

/** Settings, as environment variables. */
export type Env = Readonly<Record<string, string>>;

/** A GraphQL response as a client reads it. */
export interface GraphqlAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape of the data.
  readonly data?: any;
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape.
  readonly extensions?: Readonly<Record<string, any>>;
  readonly errors?: readonly {
    readonly message: string;
    readonly path?: readonly (string | number)[];
    // biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape.
    readonly extensions: Readonly<Record<string, any>>;
  }[];
}

/** A gateway that listens on a free port of the loopback address. */
export interface TestGateway {
  readonly url: string;
  /** The address of its metrics. */
  readonly metricsUrl: string | undefined;
  /** The lines of its log so far. */
  readonly lines: readonly string[];
  /** Executes one operation by POST. */
  execute(query: string, variables?: object): Promise<GraphqlAnswer>;
  /** Executes an operation that must succeed, and returns its data. */
  dataOf(query: string, variables?: object): Promise<GraphqlAnswer['data']>;
  /** Reads the lines of its log so far, as objects. */
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape.
  logged(): any[];
  /** Reads the page of its metrics. */
  metrics(): Promise<string>;
  close(): Promise<void>;
}

/**
 * Starts a gateway over real sockets with settings as a user writes them. Without `UPSTREAM_URL`
 * its platform is a sandbox in memory; without `LOG_LEVEL` its log is silent. It closes when the
 * test ends; a gateway that a hook started must be closed by a hook.
 *
 * @param onLogLine is called with each line of the log, and may throw.
 * @param signals are the signals of the process.
 */
export async function startGateway(
  env: Env = {},
  onLogLine?: (line: string) => void,
  signals?: Signals,
): Promise<TestGateway> {
  const sandbox = env['UPSTREAM_URL'] === undefined && { SANDBOX_FILE: ':memory:' };
  // Forms are read at the start for the typed graph: its own tests count these calls.
  const defaults = {
    PORT: '0',
    ...sandbox,
    TYPED_FORMS: 'none',
    LOG_LEVEL: 'silent',
  };
  const config = { ...readConfig({ ...defaults, ...env }), limits: limitsOf(env) };
  const lines: string[] = [];
  const write = (line: string): void => {
    lines.push(line);
    onLogLine?.(line);
  };
  const log = createLog(config.settings.LOG_LEVEL, { write });
  const { url, metricsUrl, close } = await start(config, log, signals);
  closeWithTest(close);
  const execute = (query: string, variables?: object) => postGraphql(url, { query, variables });
  return {
    url,
    metricsUrl,
    lines,
    execute,
    async dataOf(query, variables) {
      const { data, errors } = await execute(query, variables);
      expect(errors).toBeUndefined();
      return data;
    },
    logged: () => lines.map((line) => JSON.parse(line)),
    metrics: async () => (await fetch(String(metricsUrl))).text(),
    close,
  };
}

/** A request body: text and bytes are sent unchanged, any other object as JSON. */
type Body = string | Uint8Array<ArrayBuffer> | object;

/** Posts a body to a gateway and returns the GraphQL response. */
export async function postGraphql(
  url: string,
  body: Body,
  headers: object = {},
): Promise<GraphqlAnswer> {
  const response = await postBody(url, body, headers);
  return { status: response.status, ...((await response.json()) as object) };
}

/** Posts a body to a gateway. */
export function postBody(url: string, body: Body, headers: object = {}): Promise<Response> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  return fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: isRaw ? body : JSON.stringify(body),
  });
}

/**
 * Starts a sandbox and a gateway in front of it; both close when the test ends. `calls` lists the
 * operations of all calls to the sandbox so far, with the status from 400 on; `statuses` their
 * statuses.
 */
export async function startCountedGateway(
  env: Env = {},
  options: Omit<SandboxOptions, 'file' | 'onAnswer'> = {},
) {
  const calls: string[] = [];
  const statuses: number[] = [];
  const sandbox = createSandbox({
    file: ':memory:',
    definitions: SAMPLES,
    ...options,
    onAnswer({ operation, status }) {
      calls.push(status < 400 ? operation : `${operation} ${status}`);
      statuses.push(status);
    },
  });
  closeWithTest(sandbox.close);
  const origin = await sandbox.listen({ port: 0, host: '127.0.0.1' });
  const credentials = { UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'demo' };
  const gateway = await startGateway({ UPSTREAM_URL: origin, ...credentials, ...env });
  const close = () => gateway.close().then(sandbox.close);
  return { ...gateway, close, calls, statuses, origin };
}

/**
 * Starts one counted gateway for all tests of a file or a `describe`. Its `calls` are emptied
 * before each test.
 */
export function shareGateway(env: Env = {}) {
  const shared = {} as Awaited<ReturnType<typeof startCountedGateway>>;
  beforeAll(async () => void Object.assign(shared, await startCountedGateway(env)));
  beforeEach(() => void shared.calls.splice(0));
  afterAll(() => shared.close());
  return shared;
}
