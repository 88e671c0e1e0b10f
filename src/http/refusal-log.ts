import type { Log } from '../core/log.ts';
import type { RequestIds } from '../core/observers.ts';

/** A request that was refused before its operation ran. */
export interface RefusedRequest extends RequestIds {
  readonly code: string;
  readonly status: number;
  /** A name of the configuration; `undefined` before the caller is known. */
  readonly caller: string | undefined;
  readonly limitOf: string | undefined;
  /** The message that the client gets. The log of a production gateway leaves it out. */
  readonly refusal: string;
}

/** The most lines per second of one code. */
const MAX_LINES = 10;
const SECOND_MS = 1_000;

/**
 * Returns a function that logs a refused request. Each code has at most ten lines per second, so
 * that a flood of requests does not become a flood of lines. The requests left out are counted in
 * one line per code at the end of that second.
 */
export function createRefusalLog(log: Log): (request: RefusedRequest) => void {
  const counts = new Map<string, number>();

  const startSecond = (code: string): void => {
    const end = setTimeout(() => {
      const leftOut = (counts.get(code) ?? 0) - MAX_LINES;
      counts.delete(code);
      if (leftOut > 0) log.info({ code, leftOut }, 'more requests were refused than are logged');
    }, SECOND_MS);
    end.unref();
  };

  return (request) => {
    const { code } = request;
    const count = (counts.get(code) ?? 0) + 1;
    if (count === 1) startSecond(code);
    counts.set(code, count);
    if (count <= MAX_LINES) log.info(request, 'request refused');
  };
}
