import {
  codesOf,
  errorsOf,
  isOutcomeUnknown,
  isRetryable,
  isUnauthenticated,
  retryAfterMs,
  violationsOf,
} from 'caseway/client';
import { describe, expect, it } from 'vitest';

const errorOf = (extensions: object) => ({ message: 'No.', extensions });

/** The shapes in which libraries return the errors of a response. */
const SHAPES: readonly (readonly [string, (errors: readonly object[]) => unknown])[] = [
  ['a response', (errors) => ({ data: null, errors })],
  ['a list', (errors) => errors],
  ['Apollo Client 4', (errors) => ({ errors })],
  [
    'Apollo Client 4 with an error status',
    (errors) => ({ statusCode: 503, bodyText: JSON.stringify({ errors }) }),
  ],
  ['Apollo Client 3 and urql', (graphQLErrors) => ({ graphQLErrors })],
  ['Relay', (errors) => ({ source: { data: null, errors } })],
];

describe.each(SHAPES)('the errors of %s', (_name, wrap) => {
  it('have codes, violations and waits', () => {
    const violations = [
      { path: ['input', 'values', 'amount'], constraint: 'min', message: 'must be at least 0' },
      { path: ['input', 'values', 'amount'], constraint: 'kind', message: 'must be a number' },
    ];
    const invalid = wrap([errorOf({ code: 'BAD_USER_INPUT', retryable: false, violations })]);
    const limited = wrap([errorOf({ code: 'RATE_LIMITED', retryable: true, retryAfterMs: 900 })]);

    expect(codesOf(invalid)).toEqual(['BAD_USER_INPUT']);
    expect(violationsOf(invalid)).toEqual({
      'values.amount': ['must be at least 0', 'must be a number'],
    });
    expect([isRetryable(invalid), isRetryable(limited)]).toEqual([false, true]);
    expect([retryAfterMs(invalid), retryAfterMs(limited)]).toEqual([0, 900]);
  });

  it('tell a session that has ended from other refusals', () => {
    expect(isUnauthenticated(wrap([errorOf({ code: 'UNAUTHENTICATED' })]))).toBe(true);
    expect(isUnauthenticated(wrap([errorOf({ code: 'FORBIDDEN' })]))).toBe(false);
  });
});

it('an item of a bulk write has an error like a response, with paths in the item', () => {
  const error = {
    code: 'BAD_USER_INPUT',
    message: 'No.',
    retryable: false,
    violations: [{ path: ['values', 'amount'], constraint: 'min', message: 'must be at least 0' }],
    retryAfterMs: null,
  };

  expect(codesOf(error)).toEqual(['BAD_USER_INPUT']);
  expect(violationsOf(error)).toEqual({ 'values.amount': ['must be at least 0'] });
  expect(retryAfterMs(error)).toBe(0);
});

describe('a request', () => {
  const timeout = errorOf({ code: 'UPSTREAM_TIMEOUT', retryable: true });
  const unknown = errorOf({ code: 'OUTCOME_UNKNOWN', retryable: false });

  it('may be repeated if all of its errors permit it, and no change was made', () => {
    const written = errorOf({ code: 'UPSTREAM_TIMEOUT', retryable: true, written: true });

    expect(isRetryable([timeout, timeout], 'keyed-write')).toBe(true);
    expect(isRetryable([timeout, unknown], 'keyed-write')).toBe(false);
    expect(isRetryable([written], 'keyed-write')).toBe(false);
  });

  it.each([
    ['a lost connection', new TypeError('fetch failed')],
    ['an elapsed time', new DOMException('late', 'TimeoutError')],
    ['a lost connection with urql', { graphQLErrors: [], networkError: new TypeError('failed') }],
    ['a page of a proxy', Object.assign(new Error('No.'), { statusCode: 502, bodyText: '<html>' })],
    ['a response that was cut off', Object.assign(new Error('No.'), { statusCode: 200 })],
    ['a proxy’s error', errorOf({ code: 'GATEWAY_TIMEOUT', retryable: false })],
  ])('without a response is repeated if it has no second effect: %s', (_name, error) => {
    expect(isRetryable(error, 'read')).toBe(true);
    expect(isRetryable(error, 'keyed-write')).toBe(true);
    expect(isRetryable(error)).toBe(false);
    expect(isOutcomeUnknown(error)).toBe(true);
  });

  it.each([
    ['the user’s abort', new DOMException('stop', 'AbortError')],
    ['a refusal without GraphQL', Object.assign(new Error('No.'), { statusCode: 403 })],
    ['a refusal with urql', { networkError: new Error('No.'), response: { status: 403 } }],
    ['a bug', new RangeError('No.')],
    ['no error', undefined],
  ])('is not repeated after %s', (_name, error) => {
    expect(errorsOf(error)).toEqual([]);
    expect(isRetryable(error, 'read')).toBe(false);
  });

  it('of a proxy that has not passed it on may be repeated, and had no effect', () => {
    const unsent = errorOf({ code: 'GATEWAY_UNAVAILABLE', retryable: true, retryAfterMs: 1_000 });

    expect(isRetryable(unsent)).toBe(true);
    expect(isOutcomeUnknown(unsent)).toBe(false);
  });

  it('has an unknown outcome only if the gateway does not know it', () => {
    expect(isOutcomeUnknown([unknown])).toBe(true);
    expect(isOutcomeUnknown([timeout])).toBe(false);
  });
});
