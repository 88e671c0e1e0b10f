import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

/** The operations of the platform, spelled as its interface spells them (sic). */
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
  /** A folder of forms, processes, rules and users. Default: the samples, about procurement. */
  readonly definitions?: string;
  /** The only records, by form: their `idInstance` and fields. Default: those of the definitions. */
  readonly records?: Readonly<Record<string, readonly TestRecord[]>>;
  /** Settings of the gateway. Those of this process and of a file `.env` do not reach it. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface TestRecord {
  readonly idInstance: number;
  readonly [field: string]: unknown;
}

export interface Failure {
  /**
   * 429: over the platform's limit. 503: the platform is unavailable. "lost": the platform does what it is asked, and its
   * response is lost. "slow": the response comes 2 seconds late.
   */
  readonly with: 429 | 503 | 'lost' | 'slow';
  /** How many calls fail; all of them until `reset()` where absent. The gateway retries reads. */
  readonly times?: number;
}

/** A call to the platform. */
export interface PlatformCall {
  readonly operation: string;
  readonly method: string;
  /** With its query, without the origin. */
  readonly url: string;
  /** Of the platform, even where its response was lost. */
  readonly status: number;
  /** The platform's user; `undefined` where a call failed before it was known. */
  readonly user: string | undefined;
}

/** A gateway in a process of its own. */
export interface TestGateway {
  /** Its address, which stays the same; GraphQL is at `/graphql`. */
  readonly url: string;
  /** Brings back the records of the start, and a gateway that knows nothing: no copies, keys, sessions, budget, pause or failures. */
  reset(): Promise<void>;
  /** Makes calls of one operation fail at the platform, in place of an earlier failure of it. Rejects an unknown failure. */
  fail(operation: OperationName, failure: Failure): Promise<void>;
  /** The last 10,000 calls to the platform since the start or `reset()`. */
  calls(): Promise<readonly PlatformCall[]>;
  /** Ends the process. */
  close(): Promise<void>;
}

const COMMAND = join(import.meta.dirname, '..', 'caseway.mjs');
const MAX_OUTPUT_LENGTH = 10_000;

/**
 * Starts a gateway over a sandbox in memory. It ends with `close()`, and with this process at the latest.
 *
 * @throws {Error} saying what does not fit: options, definitions, records or settings.
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

/** Gives a function that calls a method in the child's process. @throws {Error} with the child's output where it has ended. */
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
  // After "exit" the rest of the output may still come.
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
