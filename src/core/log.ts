import { type DestinationStream, type Logger, pino } from 'pino';

import { codeOf, type Limit } from './errors.ts';

/** The process's log. */
export type Log = Logger;

type LogLevel = 'silent' | 'fatal' | 'error' | 'warn' | 'info' | 'debug';

/**
 * Members that may contain values or secrets. They are removed from each line. Paths with wildcards
 * would take ten times as long as the rest of a line.
 */
const REDACTED = [
  'headers',
  'authorization',
  'cookie',
  'token',
  'password',
  'credentials',
  'variables',
  'values',
  'body',
  'req.headers',
  'req.body',
  'res.headers',
];
/** Names that a client chose. Only a developer's own terminal shows them. */
const REFUSAL = 'refusal';

/**
 * Creates the log. It writes one JSON object per line. The default destination is standard output.
 *
 * @param isReadable whether a developer reads the lines at a terminal.
 */
export function createLog(
  level: LogLevel,
  destination?: DestinationStream,
  isReadable = false,
): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: isReadable ? REDACTED : [...REDACTED, REFUSAL], remove: true },
    serializers: { err: describeError },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

type ErrorFields = Partial<
  Record<'failure' | 'operation' | 'status' | 'errorCode' | 'advice' | 'code' | 'cause', unknown>
> & { readonly limit?: Limit | undefined };

/**
 * Returns an error for the log without its message, because the message may quote a client's
 * values. The result has the type, the upstream failure, and the code of the cause
 * (`ECONNREFUSED`). An error of the gateway also has the stack frames.
 */
export function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { failure, operation, status, errorCode, limit, advice, code }: Error & ErrorFields = error;
  const cause = codeOf(error.cause);
  if (failure !== undefined) {
    const { of: limitOf, per: limitPer } = limit ?? {};
    return {
      type: error.name,
      failure,
      operation,
      status,
      errorCode,
      limitOf,
      limitPer,
      advice,
      cause,
    };
  }
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  return { type: error.name, code, cause, at: frames.map((line) => line.trim()) };
}
