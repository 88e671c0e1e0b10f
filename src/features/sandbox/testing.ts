import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { z } from 'zod';

import type { AnsweredCall, Definitions, Fault } from '../../../sandbox/index.ts';
import type { Environment } from '../../config/load.ts';
import { type Command, type CommandContext, UsageError } from '../command.ts';
import { importSandbox } from './start.ts';

const NAME = 'testing';
/** Settings of the gateway's address, which tests cannot change. */
const FIXED = { HOST: '127.0.0.1', PORT: '0', METRICS_PORT: undefined };
const RESERVED_SETTINGS = [
  ...Object.keys(FIXED),
  'UPSTREAM_URL',
  'UPSTREAM_USERNAME',
  'UPSTREAM_PASSWORD',
];
/** The maximum number of recorded calls. Older ones are dropped. */
const MAX_CALLS = 10_000;

/**
 * `caseway testing`: a gateway over a sandbox in memory, for the process that started it. The two
 * processes communicate through Node's IPC.
 */
export const testingCommand: Command = {
  name: NAME,
  summary: 'serves a gateway over a sandbox in memory to tests; caseway/testing starts it',
  usage: `Usage: caseway ${NAME}\n\nIs started by startGateway of caseway/testing, in tests alone.`,
  async run({ env, startGateway, stopped }) {
    if (env['NODE_ENV'] === 'production')
      throw new UsageError(`"${NAME}" is not for NODE_ENV=production.`);
    if (!process.send)
      throw new UsageError(`"${NAME}" is started by startGateway of caseway/testing.`);
    await using resources = new AsyncDisposableStack();
    const methods = createMethods(startGateway, resources);
    process.on('message', (message) => void answer(message as Message, methods));
    const disconnected = new Promise<void>((resolve) => void process.once('disconnect', resolve));
    // The parent process may have ended already.
    if (process.connected) await Promise.race([stopped, disconnected]);
    // An open channel would keep this process running.
    if (process.connected) process.disconnect();
  },
};

/** A request of the parent process. */
interface Message {
  readonly id: number;
  readonly method: keyof Methods;
  readonly parameters: never;
}

async function answer({ id, method, parameters }: Message, methods: Methods): Promise<void> {
  try {
    process.send?.({ id, value: await methods[method](parameters) });
  } catch (error) {
    process.send?.({ id, error: error instanceof Error ? error.message : String(error) });
  }
}

const START = z.strictObject({
  /** The path of a folder. */
  definitions: z.string().optional(),
  /** Rows by form. */
  records: z.record(z.string(), z.unknown()).optional(),
  env: z
    .record(z.string(), z.string().optional())
    .default({})
    .refine((env) => !RESERVED_SETTINGS.some((name) => name in env), {
      error: `may not set ${RESERVED_SETTINGS.join(', ')}: the kit does`,
    }),
});

const FAIL = z.strictObject({
  operation: z.string(),
  with: z.literal([429, 503, 'lost', 'slow']),
  /** The number of calls that fail. Default: all. */
  times: z.int().min(1).default(Number.POSITIVE_INFINITY),
});

/**
 * Checks parameters of tests. Tests may be JavaScript, where TypeScript finds no errors.
 *
 * @throws {UsageError} describing each mismatch.
 */
function check<T>(type: z.ZodType<T>, parameters: unknown): T {
  const { data, error } = type.safeParse(parameters);
  if (error) throw new UsageError(z.prettifyError(error));
  return data as T;
}

/** The methods that the parent process can call. */
interface Methods {
  /** Starts the first gateway. Returns the address of the server in front of it. */
  start(parameters: unknown): Promise<string>;
  /**
   * Replaces the gateway. Resets run one at a time: two at once would use the same next gateway,
   * and start one that is never closed.
   */
  reset(): Promise<void>;
  /** Injects a fault into the next calls of an operation. */
  fail(parameters: unknown): void;
  /** Returns the latest calls to the sandbox. */
  calls(): readonly SandboxCall[];
}

/**
 * Creates the methods. A reset replaces the gateway and the sandbox by new ones, so that no state
 * is left. The next gateway is started in advance. A server in front of them keeps the same
 * address.
 */
function createMethods(
  startGateway: CommandContext['startGateway'],
  resources: AsyncDisposableStack,
): Methods {
  let open: () => Promise<World>;
  let current: World;
  let next: Promise<World>;
  let lastReset = Promise.resolve();
  const openNext = () => {
    next = open();
    // The error is reported when the gateway is used.
    next.catch(() => undefined);
  };

  return {
    async start(parameters) {
      const { definitions: folder, records, env } = check(START, parameters);
      const sandbox = await importSandbox();
      const loaded = sandbox.loadDefinitions(folder ?? sandbox.SAMPLE_DEFINITIONS);
      const definitions = records ? sandbox.replaceRecords(loaded, records) : loaded;
      open = () => openWorld({ sandbox, definitions, env, startGateway });
      current = await open();
      resources.defer(() => current.close());
      const front = await openFront(() => current.url);
      resources.defer(front.close);
      openNext();
      resources.defer(async () => (await next).close());
      return front.url;
    },
    reset() {
      const reset = async () => {
        const old = current;
        current = await next;
        await old.close();
        openNext();
      };
      lastReset = lastReset.then(reset, reset);
      return lastReset;
    },
    fail: (parameters) => current.fail(check(FAIL, parameters)),
    calls: () => current.calls,
  };
}

/** A gateway over a sandbox of its own. */
interface World {
  readonly url: string;
  readonly calls: readonly SandboxCall[];
  fail(fault: z.output<typeof FAIL>): void;
  close(): Promise<void>;
}

type SandboxCall = Pick<AnsweredCall, 'operation' | 'method' | 'url' | 'status' | 'user'>;

interface WorldOptions extends Pick<CommandContext, 'startGateway'> {
  readonly sandbox: Awaited<ReturnType<typeof importSandbox>>;
  readonly definitions: Definitions;
  readonly env: Environment;
}

/** Starts a gateway over a sandbox of its own. */
async function openWorld(options: WorldOptions): Promise<World> {
  const { sandbox, definitions, env, startGateway } = options;
  await using resources = new AsyncDisposableStack();
  const calls: SandboxCall[] = [];
  const faults = new Map<string, { readonly fault: Fault; left: number }>();
  const platform = sandbox.createSandbox({
    file: ':memory:',
    definitions,
    requestLimit: 0,
    faultOf(operation) {
      const entry = faults.get(operation);
      return entry && entry.left-- > 0 ? entry.fault : undefined;
    },
    onAnswer({ operation, method, url, status, user }) {
      calls.push({ operation, method, url, status, user });
      if (calls.length > MAX_CALLS) calls.shift();
    },
  });
  resources.defer(platform.close);
  const url = await platform.listen({ port: 0, host: '127.0.0.1' });
  const [{ username, password } = { username: '', password: '' }] = platform.users;
  const login = { UPSTREAM_URL: url, UPSTREAM_USERNAME: username, UPSTREAM_PASSWORD: password };
  const gateway = await startGateway({ ...env, ...FIXED, ...login });
  resources.defer(gateway.close);
  // Calls of the gateway's start do not belong to a test.
  calls.length = 0;
  const opened = resources.move();
  return {
    url: gateway.url,
    calls,
    fail({ operation, with: fault, times }) {
      const { operations } = platform;
      if (!operations.some((name) => name === operation)) {
        const known = operations.join(', ');
        throw new UsageError(`There is no operation "${operation}". Operations: ${known}.`);
      }
      faults.set(operation, { fault, left: times });
    },
    close: () => opened.disposeAsync(),
  };
}

/**
 * Opens a server that forwards requests to a changing address, and keeps its clients' connections
 * open.
 */
async function openFront(target: () => string) {
  const server = createServer((request, response) => {
    const { method = 'GET', url = '/', headers } = request;
    const { connection: _clients, ...passed } = headers;
    const sent = sendRequest(
      target(),
      { path: url, method, headers: passed, agent: false },
      (answered) => {
        const { connection: _own, 'keep-alive': _time, ...given } = answered.headers;
        response.writeHead(answered.statusCode ?? 502, given);
        response.flushHeaders();
        pipeline(answered, response, () => undefined);
      },
    );
    sent.on('error', () => response.destroy());
    response.on('close', () => sent.destroy());
    request.pipe(sent);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
