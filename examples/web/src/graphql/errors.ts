import { CombinedGraphQLErrors, type ErrorLike } from '@apollo/client';

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

/** A request that the client itself rejects. Nothing was sent. */
export class LocalError extends Error {
  override readonly name = 'LocalError';
}

/** The members of `extensions` that this client reads. See docs/errors.md of the gateway. */
interface Extensions {
  readonly code?: string;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
  readonly requestId?: string;
  readonly violations?: readonly Violation[];
}

interface Violation {
  /** The path from the argument to the value: `["input", "values", "amount"]`. */
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * Texts by `extensions.code`. For the codes in `OWN_WORDS` the gateway's message is suitable for
 * users. Other codes are faults.
 */
const WORDS: Readonly<Record<string, string>> = {
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
  if (error instanceof LocalError)
    return [{ text: error.message, isRetryable: false, retryAfterMs: 0 }];
  if (!CombinedGraphQLErrors.is(error)) {
    const text = 'The gateway cannot be reached. Check your connection.';
    return [{ text, isRetryable: true, retryAfterMs: 0 }];
  }
  const errors = error.errors.filter(
    ({ path }) => field === undefined || path === undefined || path[0] === field,
  );
  const problems = errors.map(({ message, extensions }) => toProblem(message, extensions ?? {}));
  return [...new Map(problems.map((problem) => [problem.text, problem])).values()];
}

function toProblem(message: string, extensions: Extensions): Problem {
  const { code = '', retryable = false, retryAfterMs = 0, requestId, violations } = extensions;
  if (violations !== undefined) {
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

/** Returns the violations of an input by the name of the field. */
export function violationsOf(error: ErrorLike | undefined): Readonly<Record<string, string>> {
  if (!CombinedGraphQLErrors.is(error)) return {};
  const violations = error.errors.flatMap(
    ({ extensions }) => (extensions as Extensions)?.violations ?? [],
  );
  return Object.fromEntries(violations.map(({ path, message }) => [path.at(-1) ?? '', message]));
}

/** Returns whether the gateway does not know the caller. */
export const isUnauthenticated = (error: ErrorLike): boolean =>
  codesOf(error).includes('UNAUTHENTICATED');

/** Returns whether missing permissions are the only errors. */
export const isForbidden = (error: ErrorLike): boolean =>
  codesOf(error).every((code) => code === 'FORBIDDEN');

const codesOf = (error: ErrorLike): unknown[] =>
  CombinedGraphQLErrors.is(error)
    ? error.errors.map(({ extensions }) => extensions?.['code'])
    : ['NO_ANSWER'];
