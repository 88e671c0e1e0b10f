import { afterAll, beforeAll, beforeEach } from 'vitest';

import { createSandbox, type SandboxOptions } from '../../sandbox/index.ts';
import { readConfig, startGateway as start } from '../../src/app.ts';
import type { Signals } from '../../src/command.ts';
import { createLog } from '../../src/core/log.ts';
import { limitsOf } from './limits.ts';
import { closeWithTest } from './listen.ts';

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
  /** Where its metrics are served. */
  readonly metricsUrl: string | undefined;
  /** Executes one operation by POST. */
  execute(query: string, variables?: Readonly<Record<string, unknown>>): Promise<GraphqlAnswer>;
  close(): Promise<void>;
}

/**
 * Starts a gateway over real sockets, by settings as a user gives them; a sandbox in memory unless they say otherwise. Tests
 * over HTTP start it here or as a process, and do not import its modules. It ends with the test; one that a hook starts is closed
 * by a hook.
 *
 * @param onLogLine takes each line of the log, which is silent unless `LOG_LEVEL` says otherwise.
 * @param signals of the process that it is in.
 */
export async function startGateway(
  env: Readonly<Record<string, string>> = {},
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
  const log = createLog(config.settings.LOG_LEVEL, onLogLine && { write: onLogLine });
  const { url, metricsUrl, close } = await start(config, log, signals);
  closeWithTest(close);
  const execute = (query: string, variables?: Readonly<Record<string, unknown>>) =>
    postGraphql(url, JSON.stringify({ query, variables }));
  return { url, metricsUrl, execute, close };
}

/** Posts a body to a gateway unchanged, and gives the answer. */
export async function postGraphql(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: object = {},
): Promise<GraphqlAnswer> {
  const response = await postBody(url, body, headers);
  return { status: response.status, ...((await response.json()) as object) };
}

/** Posts a body to a gateway unchanged. */
export const postBody = (
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: object = {},
): Promise<Response> =>
  fetch(`${url}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });

/** Starts a sandbox of its own and a gateway before it; both end together, with the test. `calls` grows by each call to the sandbox, `statuses` by its status. */
export async function startCountedGateway(
  env: Readonly<Record<string, string>> = {},
  options: Omit<SandboxOptions, 'file' | 'onAnswer'> = {},
  onLogLine?: (line: string) => void,
) {
  const calls: string[] = [];
  const statuses: number[] = [];
  const sandbox = createSandbox({
    file: ':memory:',
    ...options,
    onAnswer({ operation, status }) {
      calls.push(status < 400 ? operation : `${operation} ${status}`);
      statuses.push(status);
    },
  });
  closeWithTest(sandbox.close);
  const origin = await sandbox.listen({ port: 0, host: '127.0.0.1' });
  const credentials = { UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'demo' };
  const gateway = await startGateway({ UPSTREAM_URL: origin, ...credentials, ...env }, onLogLine);
  const close = () => gateway.close().then(sandbox.close);
  return { ...gateway, close, calls, statuses, origin };
}

/** Starts one for all tests of a file or a `describe`, to be called there; its `calls` begin anew with each test. */
export function shareGateway(env: Readonly<Record<string, string>> = {}) {
  const shared = {} as Awaited<ReturnType<typeof startCountedGateway>>;
  beforeAll(async () => void Object.assign(shared, await startCountedGateway(env)));
  beforeEach(() => void shared.calls.splice(0));
  afterAll(() => shared.close());
  return shared;
}
