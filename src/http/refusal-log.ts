import type { Log } from '../core/log.ts';

/** The most lines per second of one code. */
const MAX_LINES = 10;
const SECOND_MS = 1_000;

/** Logs one refusal with the code that its client gets. */
export type RefusalLog = (code: string, line: object, message: string) => void;

/**
 * Creates a log of refusals. Each code has at most ten lines per second, so that a flood of requests
 * does not become a flood of lines. The refusals left out are counted in one line per code at the end
 * of that second.
 */
export function createRefusalLog(log: Log): RefusalLog {
  const counts = new Map<string, number>();

  const startSecond = (code: string): void => {
    const end = setTimeout(() => {
      const leftOut = (counts.get(code) ?? 0) - MAX_LINES;
      counts.delete(code);
      if (leftOut > 0) log.info({ code, leftOut }, 'more requests were refused than are logged');
    }, SECOND_MS);
    end.unref();
  };

  return (code, line, message) => {
    const count = (counts.get(code) ?? 0) + 1;
    if (count === 1) startSecond(code);
    counts.set(code, count);
    if (count <= MAX_LINES) log.info(line, message);
  };
}
