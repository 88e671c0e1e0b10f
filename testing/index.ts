import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

/** The operations of the platform, misspelled as in its interface. */
export type OperationName =
  | 'getToken'
  | 'executeCurrentActivity'
  | 'startCase'
  | 'getForm'
  | 'getForms'
  | 'createFormIntance'
  | 'deleteFormIntance'
  | 'getFormIntance'
  | 'getFormIntances'
  | 'updateFormIntance'
  | 'updateValuesOfFormIntance'
  | 'execute'
  | 'getParameters';

export interface StartOptions {
  /** The folder of forms, processes, rules and users. Default: the samples, about procurement. */
  readonly definitions?: string;
  /**
   * The only records, by form: their `idInstance` and fields. Default: the records of the
   * definitions.
   */
  readonly records?: Readonly<Record<string, readonly TestRecord[]>>;
  /** Settings of the gateway. It reads no settings from this process or from a file `.env`. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface TestRecord {
  readonly idInstance: number;
  readonly [field: string]: unknown;
}

export interface Failure {
  /**
   * The kind of failure.
   * - 429: the platform's limit is exceeded.
   * - 503: the platform is unavailable.
   * - "lost": the platform does its work, but its response is lost.
   * - "slow": the response is delayed by 2 seconds.
   */
  readonly with: 429 | 503 | 'lost' | 'slow';
  /** How many calls fail. Default: all calls until `reset()`. The gateway retries reads. */
  readonly times?: number;
}

/** A call to the platform. */
export interface PlatformCall {
  readonly operation: string;
  readonly method: string;
  /** The path with its query, without the origin. */
  readonly url: string;
  /** The status that the platform sent, even if the response was lost. */
  readonly status: number;
  /** The platform's user, or `undefined` if the call failed before the user was known. */
  readonly user: string | undefined;
}

/** A gateway in its own process. */
export interface TestGateway {
  /** The origin of the gateway, which never changes. GraphQL is at `/graphql`. */
  readonly url: string;
  /**
   * Restores the initial records and empties the gateway: its cache, idempotency keys, sessions,
   * call budget, pause after the platform's limit, and failures.
   */
  reset(): Promise<void>;
  /**
   * Simulates failures of one operation at the platform. Replaces an earlier failure of it.
   *
   * @throws {Error} when the failure is unknown.
   */
  fail(operation: OperationName, failure: Failure): Promise<void>;
  /** Returns the last 10,000 calls to the platform since the start or `reset()`. */
  calls(): Promise<readonly PlatformCall[]>;
  /** Ends the process. */
  close(): Promise<void>;
}

const COMMAND = join(import.meta.dirname, '..', 'caseway.mjs');
const MAX_OUTPUT_LENGTH = 10_000;

/**
 * Starts a gateway in front of a sandbox in memory. It ends with `close()`, or with this process.
 *
 * @throws {Error} with the reason when an option, a definition, a record or a setting is invalid.
 */
export async function startGateway(options: StartOptions = {}): Promise<TestGateway> {
  const child = spawn(process.execPath, [COMMAND, 'testing'], {
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
  const call = createCall(child);
  const ended = new Promise<void>(
    (resolve) => void child.once('close', () => resolve()).once('error', () => resolve()),
  );
  const close = async () => {
    child.kill();
    await ended;
  };
  try {
    const url = (await call('start', options)) as string;
    return {
      url,
      reset: async () => void (await call('reset')),
      fail: async (operation, failure) => void (await call('fail', { operation, ...failure })),
      calls: async () => (await call('calls')) as readonly PlatformCall[],
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/**
 * Returns a function that calls a method in the child process.
 *
 * @throws {Error} with the child's output if it has ended.
 */
function createCall(child: ChildProcess) {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let nextId = 1;
  let output = '';
  let hasEnded = false;
  const endedError = () => new Error(`The gateway has ended.\n${output}`.trim());
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output = `${output}${chunk}`.slice(-MAX_OUTPUT_LENGTH);
    });
  }
  child.on('message', ({ id, value, error }: Answer) => {
    if (error === undefined) waiting.get(id)?.resolve(value);
    else waiting.get(id)?.reject(new Error([error, output.trim()].filter(Boolean).join('\n')));
    waiting.delete(id);
  });
  // The last output may arrive after "exit", so the end is "close".
  child.on('error', ({ message }) => end(message));
  child.on('close', () => end(''));

  function end(reason: string): void {
    hasEnded = true;
    output += reason;
    for (const { reject } of waiting.values()) reject(endedError());
    waiting.clear();
  }

  return (method: string, parameters: object = {}): Promise<unknown> => {
    if (hasEnded || !child.connected) return Promise.reject(endedError());
    const id = nextId++;
    const answered = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    child.send({ id, method, parameters });
    return answered;
  };
}
