import type { IncomingHttpHeaders } from 'node:http';

import { formatJson } from '../json.ts';
import { ApiError, toAnswer } from './api-error.ts';
import { httpDate, isUnchanged } from './conditional.ts';
import type { Answer } from './operation.ts';

/** An answer as it goes onto the wire. */
export interface Settled {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string | undefined;
  /** The cause of a 500, of which the answer says nothing. */
  readonly error: unknown;
}

/** Runs an operation to its end: its answer, a 304 in its place, or what its error says. Never throws. */
export function settle(work: () => Answer, { 'if-modified-since': since }: IncomingHttpHeaders): Settled {
  try {
    const answer = work();
    // Only after all that could refuse the call: a condition counts for what would succeed.
    const isSame = answer.changedAtMs !== undefined && isUnchanged(answer.changedAtMs, since);
    return { ...write(isSame ? { ...answer, status: 304, body: undefined } : answer), error: undefined };
  } catch (error) {
    return { ...write(toAnswer(error)), error: error instanceof ApiError ? undefined : error };
  }
}

function write({ status, headers, changedAtMs, body }: Answer): Omit<Settled, 'error'> {
  const text = body && formatJson(body());
  return {
    status,
    headers: {
      ...headers,
      ...(changedAtMs !== undefined && { 'last-modified': httpDate(changedAtMs) }),
      ...(text !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
    },
    text,
  };
}
