import type { ErrorLike } from '@apollo/client';
import { codesOf, type ErrorExtensions, errorsOf } from 'caseway/client';

/** An error for users. */
export interface Problem {
  readonly text: string;
  /** Whether the same request may succeed later. */
  readonly isRetryable: boolean;
  /** The time to wait before a retry, in milliseconds. */
  readonly retryAfterMs: number;
  /** The id of the request in the gateway's log, if the user needs support. */
  readonly requestId?: string | undefined;
}

/**
 * Texts by `extensions.code`. For the codes in `OWN_WORDS` the gateway's message is suitable for
 * users. Other codes are faults.
 */
const WORDS: Readonly<Record<string, string>> = {
  CONFLICT:
    'Somebody else has changed this request meanwhile. See the fields, and save again to overwrite it.',
  FORBIDDEN: 'You do not have permission for some of this.',
  NOT_FOUND: 'It does not exist any more.',
  RATE_LIMITED: 'The platform has had too many requests.',
  OUTCOME_UNKNOWN:
    'The answer was lost, so it may have been saved or not. Check before you save again.',
  UPSTREAM_TIMEOUT: 'The platform did not answer in time.',
  UPSTREAM_UNAVAILABLE: 'The platform cannot be reached at the moment.',
  UPSTREAM_ERROR: 'The platform failed.',
  OVERLOADED: 'There is too much to do at the moment.',
  SHUTTING_DOWN: 'The gateway is restarting.',
};
const OWN_WORDS = ['BAD_USER_INPUT', 'RULE_UNAVAILABLE', 'UNAUTHENTICATED'];

/**
 * Converts an error to texts for users, one for each kind of failure. With `field`, only for
 * failures in that field of the operation.
 */
export function toProblems(error: ErrorLike, field?: string): Problem[] {
  const all = errorsOf(error);
  if (all.length === 0) {
    const text = 'The gateway cannot be reached. Check your connection.';
    return [{ text, isRetryable: true, retryAfterMs: 0 }];
  }
  const errors = all.filter(
    ({ path }) => field === undefined || path === undefined || path[0] === field,
  );
  const problems = errors.map(({ message, extensions }) => toProblem(message, extensions ?? {}));
  return [...new Map(problems.map((problem) => [problem.text, problem])).values()];
}

function toProblem(message: string, extensions: ErrorExtensions): Problem {
  const { code = '', retryable = false, retryAfterMs = 0, requestId, violations } = extensions;
  if (code === 'BAD_USER_INPUT' && violations) {
    // A filter shows no messages of its own.
    const [ofFilter] = violations.filter(({ path }) => path[0] === 'where');
    const text = ofFilter
      ? `A filter ${ofFilter.message}.`
      : 'Some values do not fit: see the fields.';
    return { text, isRetryable: false, retryAfterMs };
  }
  const known = WORDS[code] ?? (OWN_WORDS.includes(code) ? message : undefined);
  const text = known ?? 'Something went wrong on our side.';
  return {
    text: retryAfterMs > 0 ? `${text} Try again in ${formatWait(retryAfterMs)}.` : text,
    isRetryable: retryable,
    retryAfterMs,
    requestId: known === undefined ? requestId : undefined,
  };
}

function formatWait(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds >= 90) return `${Math.ceil(seconds / 60)} minutes`;
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}

/** Returns whether missing permissions are the only errors. */
export function isForbidden(error: ErrorLike): boolean {
  const codes = codesOf(error);
  return codes.length > 0 && codes.every((code) => code === 'FORBIDDEN');
}
