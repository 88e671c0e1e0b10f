import { type DestinationStream, type Logger, pino } from 'pino';

import { codeOf, type Limit } from './errors.ts';

/** The process's log. */
export type Log = Logger;

type LogLevel = 'silent' | 'fatal' | 'error' | 'warn' | 'info' | 'debug';

/** Members that may hold values or secrets are left out. Paths with wildcards would cost ten times as much as the rest of a line. */
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
/** Names that a client chose; a developer's own terminal shows them. */
const REFUSAL = 'refusal';

/**
 * Makes the log: one JSON object a line, on standard output where no destination is given.
 *
 * @param isReadable whether the lines are for a developer at a terminal.
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
 * An error without its message, which may quote what somebody sent: its kind, what failed upstream, the code of its cause
 * (`ECONNREFUSED`), and for a fault of ours where it arose.
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
