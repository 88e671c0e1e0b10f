/** An error of a GraphQL response. `extensions` are described in docs/errors.md of the gateway. */
export interface ResponseError {
  readonly message: string;
  readonly path?: readonly (string | number)[] | undefined;
  readonly extensions?: ErrorExtensions | undefined;
}

/** The members of `extensions` that the gateway sets. */
export interface ErrorExtensions {
  /** The kind of the error. */
  readonly code?: string | undefined;
  /** Whether the same request may succeed later, and may be repeated. */
  readonly retryable?: boolean | undefined;
  /** The time to wait before a repeat, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** Whether the change was made although its response has an error. */
  readonly written?: boolean | undefined;
  /** The id of the request in the gateway's log. */
  readonly requestId?: string | undefined;
  readonly violations?: readonly Violation[] | undefined;
  readonly [member: string]: unknown;
}

/** A value that does not fit its form. */
export interface Violation {
  /** The path in the variables: `["input", "values", "amount"]`. */
  readonly path: readonly (string | number)[];
  readonly constraint: string;
  readonly limit?: unknown;
  readonly message: string;
}

/**
 * The kind of a request.
 * - `read`: a query.
 * - `keyed-write`: a mutation with an `idempotencyKey` in each of its fields.
 * - `write`: any other mutation.
 */
export type RequestKind = 'read' | 'keyed-write' | 'write';

/**
 * Returns the errors of the gateway's response. They are empty if no response was received.
 *
 * @param error an error of Apollo Client, urql, Relay, graphql-sse or `request`, a GraphQL
 *   response, a list of errors, or the error of an item of a bulk write.
 */
export function errorsOf(error: unknown): readonly ResponseError[] {
  if (Array.isArray(error)) return error.flatMap(errorsOf);
  if (!isObject(error)) return [];

  for (const member of ['errors', 'graphQLErrors']) {
    const errors = error[member];
    if (Array.isArray(errors) && errors.length > 0) return errors.flatMap(errorsOf);
  }
  if (isObject(error['extensions'])) return [error as unknown as ResponseError];

  // An item of a bulk write has the members of `extensions` itself.
  const { message, ...extensions } = error;
  if (typeof error['retryable'] === 'boolean')
    return [{ message: String(message), extensions: extensions as ErrorExtensions }];

  // Apollo Client keeps the text of a response that has an error status. Relay keeps the response.
  if (typeof error['bodyText'] === 'string') return errorsOf(parseJson(error['bodyText']));
  return errorsOf(error['networkError'] ?? error['source']);
}

/** Returns the codes of the errors of the gateway's response. */
export const codesOf = (error: unknown): readonly string[] =>
  errorsOf(error).flatMap(({ extensions }) => extensions?.code ?? []);

/** Returns whether the caller has to sign in. */
export const isUnauthenticated = (error: unknown): boolean =>
  codesOf(error).includes('UNAUTHENTICATED');

/**
 * Returns the messages of invalid values by their path in the input, ready for form libraries.
 *
 * @example
 * violationsOf(error); // { 'values.amount': ['must be at least 0'] }
 */
export function violationsOf(error: unknown): Record<string, string[]> {
  const messages: Record<string, string[]> = {};
  for (const { extensions } of errorsOf(error)) {
    for (const { path, message } of extensions?.violations ?? []) {
      const name = (path[0] === 'input' ? path.slice(1) : path).join('.');
      messages[name] ??= [];
      messages[name].push(message);
    }
  }
  return messages;
}

/**
 * Returns whether the same request may be repeated and may succeed then.
 *
 * @param kind the kind of the request. Without a response of the gateway, only reads and keyed
 *   writes may be repeated.
 */
export function isRetryable(error: unknown, kind: RequestKind = 'write'): boolean {
  const errors = errorsOf(error);
  if (errors.length === 0) return kind !== 'write' && isConnectionFailure(error);
  return errors.every(({ extensions: { code = '', retryable, written } = {} }) => {
    if (written) return false;
    return retryable === true || (kind !== 'write' && PROXY_CODES.includes(code));
  });
}

/**
 * Returns the time to wait before a repeat, in milliseconds. 0 if the gateway does not name one.
 */
export function retryAfterMs(error: unknown): number {
  const waits = errorsOf(error).map(({ extensions }) => extensions?.retryAfterMs ?? 0);
  return Math.max(0, ...waits);
}

/**
 * Returns whether a write that failed with this error may have been made. Then the record has to be
 * read before a person sends the write again. It includes errors without a response of the gateway.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  const errors = errorsOf(error);
  if (errors.length === 0) return true;
  return errors.some(({ extensions: { code = '', retryable } = {} }) => {
    return code === 'OUTCOME_UNKNOWN' || (PROXY_CODES.includes(code) && retryable !== true);
  });
}

/** Codes of a proxy that got no response of the gateway. */
const PROXY_CODES = ['GATEWAY_UNAVAILABLE', 'GATEWAY_TIMEOUT'];

/** The names of errors of `fetch` without a response, in browsers, React Native and Node. */
const CONNECTION_ERRORS = ['TypeError', 'NetworkError', 'TimeoutError', 'FetchError'];

/** Returns whether the connection failed, or a server in between responded instead. */
function isConnectionFailure(error: unknown): boolean {
  if (!isObject(error)) return false;
  const { networkError, response, statusCode, status, name } = error;
  if (isObject(networkError)) return isConnectionFailure({ response, ...named(networkError) });

  const code = statusCode ?? status ?? (isObject(response) ? response['status'] : undefined);
  if (typeof code !== 'number') return CONNECTION_ERRORS.includes(String(name));
  // A successful response without readable content was cut off.
  return code < 300 || code === 408 || code === 429 || code >= 500;
}

/** Copies the members that an `Error` inherits or hides. */
const named = (error: JsonObject): JsonObject => ({ ...error, name: error['name'] });

interface JsonObject {
  readonly [member: string]: unknown;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
