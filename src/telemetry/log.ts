import { type Logger, pino } from 'pino';

/** The process's log. */
export type Log = Logger;

/** How much is logged, least first. */
export const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Makes the log: one JSON object a line, on standard output. */
export function createLog(level: LogLevel): Log {
  return pino({ level, base: null });
}
