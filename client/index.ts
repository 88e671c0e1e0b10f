/**
 * `caseway/client`: errors, retries, idempotency keys and requests of a client of the gateway. For
 * browsers, React Native and Node, without dependencies.
 */
export {
  type Connection,
  type ConnectionOptions,
  createConnection,
  type Document,
  type RequestOptions,
  type SignedIn,
  type TypedDocument,
} from './connection.ts';
export {
  codesOf,
  type ErrorExtensions,
  errorsOf,
  isOutcomeUnknown,
  isRetryable,
  isUnauthenticated,
  type RequestKind,
  type ResponseError,
  retryAfterMs,
  type Violation,
  violationsOf,
} from './errors.ts';
export {
  createIdempotencyKey,
  createKey,
  type IdempotencyKey,
  type KeyStorage,
} from './idempotency.ts';
export { type GraphqlResponse, RequestError } from './response.ts';
export { type RetryOptions, retry } from './retry.ts';
export type { Listener } from './stream.ts';
