import { type DestinationStream, type Logger, pino } from 'pino';

/** The process's log. */
export type Log = Logger;

export type LogLevel = 'silent' | 'fatal' | 'error' | 'warn' | 'info' | 'debug';

/** Everything that a line may say. What is not listed is left out, so that nothing secret can slip in by a new way. */
const ALLOWED: readonly string[] = [
  ...['requestId', 'operation', 'kind', 'durationMs', 'upstreamCalls', 'outcome', 'codes', 'err', 'url', 'signal'],
  ...['document', 'untrusted', 'form', 'rule', 'field', 'reason', 'severity', 'place', 'change', 'changes'],
];

/** Makes the log: one JSON object a line, on standard output unless told otherwise. */
export function createLog(level: LogLevel, destination?: DestinationStream): Log {
  const formatters = { log: (fields: object) => Object.fromEntries(Object.entries(fields).filter(isAllowed)) };
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters, serializers: { err } };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** Lines are written together, so many bytes or milliseconds of them: each write costs about as much as a whole answer. */
const WRITTEN_BYTES = 4_096;
const WRITTEN_AFTER_MS = 100;

/** Gives standard output as a log's destination. What is not written yet when the process exits is written then. */
export function standardOutput(): DestinationStream {
  return pino.destination({ dest: 1, sync: false, minLength: WRITTEN_BYTES, periodicFlush: WRITTEN_AFTER_MS });
}

const isAllowed = ([name]: readonly [string, unknown]): boolean => ALLOWED.includes(name);

/** Says what kind of error it is and where it arose. Its message may quote what somebody sent, so it is left out. */
function err(error: unknown) {
  if (!(error instanceof Error)) return { type: typeof error };
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  return { type: error.name, code: 'code' in error ? error.code : undefined, at: frames.map((line) => line.trim()) };
}
