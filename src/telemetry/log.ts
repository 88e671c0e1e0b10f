import { type DestinationStream, type Logger, pino } from 'pino';

/** The process's log. */
export type Log = Logger;

export type LogLevel = 'silent' | 'fatal' | 'error' | 'warn' | 'info' | 'debug';

/** What may hold values or secrets is left out. Paths with wildcards would cost ten times as much as the rest of a line. */
const REDACTED = [
  ...['headers', 'authorization', 'cookie', 'token', 'password', 'credentials', 'variables', 'values', 'body'],
  ...['req.headers', 'req.body', 'res.headers'],
];

/** Makes the log: one JSON object a line, on standard output where no destination is given. */
export function createLog(level: LogLevel, destination?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: REDACTED, remove: true },
    serializers: { err: describeError },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** Lines are written together, after so many bytes or milliseconds: each write costs more than a whole answer. */
const BUFFER_BYTES = 16_000;
const FLUSH_MS = 100;

/** Standard output as a log's destination. Lines that are not written yet when the process exits are written then. */
export async function standardOutput({ isReadable }: { readonly isReadable: boolean }): Promise<DestinationStream> {
  if (!isReadable) return pino.destination({ dest: 1, sync: false, minLength: BUFFER_BYTES, periodicFlush: FLUSH_MS });
  // Loaded only on a terminal. Synchronous, so that lines keep their place between those of commands.
  const { build } = await import('pino-pretty');
  return build({
    destination: 1,
    sync: true,
    singleLine: true,
    ignore: 'requestId,traceId',
    translateTime: 'SYS:HH:MM:ss',
    customPrettifiers: { err: (error) => JSON.stringify(error) },
  });
}

type Described = Error & Partial<Record<'failure' | 'operation' | 'status' | 'errorCode' | 'code', unknown>>;

/**
 * An error without its message, which may quote what somebody sent: its kind, what failed upstream, the code of its cause
 * (`ECONNREFUSED`), and for a fault of ours where it arose.
 */
export function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { failure, operation, status, errorCode, code }: Described = error;
  const cause = codeOf(error.cause);
  if (failure !== undefined) return { type: error.name, failure, operation, status, errorCode, cause };
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  return { type: error.name, code, cause, at: frames.map((line) => line.trim()) };
}

function codeOf(cause: unknown): unknown {
  if (!(cause instanceof Error)) return undefined;
  return codeOf(cause.cause) ?? ('code' in cause ? cause.code : undefined);
}
