import { type DestinationStream, type Logger, pino } from 'pino';

import { createLogOutput, type LogOutput } from './log-output.ts';

/** The process's log. */
export type Log = Logger;

export type LogLevel = 'silent' | 'fatal' | 'error' | 'warn' | 'info' | 'debug';

/** What may hold values or secrets is left out. Paths with wildcards would cost ten times as much as the rest of a line. */
const REDACTED = [
  ...['headers', 'authorization', 'cookie', 'token', 'password', 'credentials', 'variables', 'values', 'body'],
  ...['req.headers', 'req.body', 'res.headers'],
];
/** Names that a client chose; a developer's own terminal shows them. */
const REFUSAL = 'refusal';

interface LogOptions {
  /** Whether the lines are for a developer at a terminal. */
  readonly isReadable?: boolean;
}

/** Makes the log: one JSON object a line, on standard output where no destination is given. */
export function createLog(level: LogLevel, destination?: DestinationStream, { isReadable }: LogOptions = {}): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: isReadable ? REDACTED : [...REDACTED, REFUSAL], remove: true },
    serializers: { err: describeError },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** Standard output as a log's destination. Lines that are not written yet when the process exits are written then. */
export async function standardOutput({ isReadable }: LogOptions): Promise<LogOutput> {
  // Loaded only on a terminal, and optional: where it is not installed, lines are JSON there as well.
  const pretty = isReadable ? await import('pino-pretty').catch(() => undefined) : undefined;
  if (pretty === undefined) return createLogOutput(1);
  return pretty.build({
    destination: 1,
    // So that lines keep their place between those of commands.
    sync: true,
    hideObject: true,
    translateTime: 'SYS:HH:MM:ss',
    messageFormat: (line, _key, _level, { colors }) => {
      const [message, details] = line['msg'] === 'operation' ? formatOperation(line) : formatOther(line);
      // What a client or the platform has named must not move the cursor.
      const shown = details.replaceAll(/\p{Cc}/gu, ' ');
      return shown === '' ? message : `${message}  ${colors.gray(shown)}`;
    },
  });
}

type Formatted = readonly [message: string, details: string];

/** The log line of an operation, as `graphql/operations.ts` writes it. */
interface OperationLine {
  readonly operation?: string;
  readonly kind?: string;
  readonly durationMs?: number;
  readonly upstreamCalls?: number;
  readonly extensionCalls?: number;
  readonly outcome?: string;
  readonly codes?: readonly string[];
  readonly failures?: readonly Details[];
  readonly refusal?: string;
}

/** `query Mine  ok  30 ms  1 call`, and why an operation failed. */
function formatOperation(line: OperationLine): Formatted {
  const { operation, kind = 'request', durationMs = 0, outcome, upstreamCalls, extensionCalls = 0 } = line;
  const { codes = [], failures = [], refusal = '' } = line;
  const causes = failures.map(({ operation, status, errorCode, cause, advice }) => [
    operation,
    status,
    errorCode,
    cause,
    advice,
  ]);
  const message = [
    operation === undefined ? kind : `${kind} ${operation}`,
    outcome,
    `${Math.round(durationMs)} ms`,
    `${upstreamCalls} ${upstreamCalls === 1 ? 'call' : 'calls'}`,
    ...(extensionCalls > 0 ? [`${extensionCalls} by extensions`] : []),
  ].join('  ');
  return [message, [...codes, ...causes.flat(), refusal].filter(Boolean).join(' ')];
}

function formatOther({
  level,
  time,
  msg,
  requestId,
  traceId,
  ...others
}: Readonly<Record<string, unknown>>): Formatted {
  return [String(msg), Object.keys(others).length === 0 ? '' : JSON.stringify(others)];
}

type Details = Partial<Record<'failure' | 'operation' | 'status' | 'errorCode' | 'advice' | 'code' | 'cause', unknown>>;

/**
 * An error without its message, which may quote what somebody sent: its kind, what failed upstream, the code of its cause
 * (`ECONNREFUSED`), and for a fault of ours where it arose.
 */
export function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { failure, operation, status, errorCode, advice, code }: Error & Details = error;
  const cause = codeOf(error.cause);
  if (failure !== undefined) return { type: error.name, failure, operation, status, errorCode, advice, cause };
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  return { type: error.name, code, cause, at: frames.map((line) => line.trim()) };
}

function codeOf(cause: unknown): unknown {
  if (!(cause instanceof Error)) return undefined;
  return codeOf(cause.cause) ?? ('code' in cause ? cause.code : undefined);
}
