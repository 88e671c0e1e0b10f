import type { CombinedError } from 'urql';

/** What went wrong, for a person. */
export interface Problem {
  readonly text: string;
  /** Whether it may go well when it is tried again. */
  readonly isRetryable: boolean;
  /** What to tell whoever looks after the gateway; absent where a person can help themselves. */
  readonly reference?: string | undefined;
}

/** Words for the codes that a person can do something about. What the gateway says itself is said for the others. */
const WORDS: Readonly<Record<string, string>> = {
  FORBIDDEN: 'You are not allowed to see or do this.',
  NOT_FOUND: 'It is not there any more.',
  RATE_LIMITED: 'Too much was asked of the platform just now. Wait a moment, and try again.',
  OUTCOME_UNKNOWN: 'It may have been done, or not: the answer was lost. Look before you do it again.',
  UPSTREAM_TIMEOUT: 'The platform did not answer in time. Try again.',
  UPSTREAM_UNAVAILABLE: 'The platform cannot be reached at the moment. Try again.',
  UPSTREAM_ERROR: 'The platform failed. Try again, or later.',
  OVERLOADED: 'There is too much to do at the moment. Try again.',
  SHUTTING_DOWN: 'The gateway restarts. Try again.',
};
/** What a person caused, and reads the reason of in the gateway's own words. */
const SAID_BY_THE_GATEWAY = ['BAD_USER_INPUT', 'RULE_UNAVAILABLE', 'UNAUTHENTICATED', ...Object.keys(WORDS)];

/** Words an error for people: once for each kind of thing that went wrong. */
export function toProblems(error: CombinedError): Problem[] {
  if (error.networkError !== undefined) {
    return [{ text: 'The gateway cannot be reached. Check your connection, and try again.', isRetryable: true }];
  }
  const problems = error.graphQLErrors.map(({ message, extensions }): Problem => {
    const { code = '', retryable, requestId } = extensions as Readonly<Record<string, string | undefined>>;
    if ('violations' in extensions)
      return { text: 'Some of what you entered does not fit; the fields say what.', isRetryable: false };
    const isPlain = SAID_BY_THE_GATEWAY.includes(code);
    return {
      text: WORDS[code] ?? (isPlain ? message : 'Something went wrong that should not.'),
      isRetryable: Boolean(retryable),
      reference: isPlain ? undefined : requestId,
    };
  });
  return [...new Map(problems.map((problem) => [problem.text, problem])).values()];
}

/** What is wrong with the values of an input, all at once: by the name of each. */
export function violationsOf(error: CombinedError | undefined): ReadonlyMap<string, string> {
  const found = error?.graphQLErrors.flatMap(
    ({ extensions }) => (extensions['violations'] ?? []) as readonly Violation[],
  );
  return new Map(found?.map(({ path, message }) => [path.at(-1) ?? '', message]));
}

interface Violation {
  /** From the argument to the value. */
  readonly path: readonly string[];
  readonly message: string;
}

/** Whether nobody is signed in for the gateway, or no longer. */
export const isSignedOut = (error: CombinedError): boolean =>
  error.graphQLErrors.some(({ extensions }) => extensions['code'] === 'UNAUTHENTICATED');
