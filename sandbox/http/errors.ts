import type { Socket } from 'node:net';

import type { JsonObject } from '../json.ts';

/** An error response: its status, body and headers. Source: the interface's "Errors". */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly errorCode: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The `field` of each invalid value, and a `message` that follows its name: "must be …". */
  readonly violations: readonly JsonObject[] | undefined;

  constructor(
    status: number,
    errorCode: string,
    message: string,
    headers: ApiError['headers'] = {},
    violations?: readonly JsonObject[],
  ) {
    super(message);
    this.status = status;
    this.errorCode = errorCode;
    this.headers = headers;
    this.violations = violations;
  }
}

export const badRequest = (errorCode: string, message: string) =>
  new ApiError(400, errorCode, message);
export const unauthorized = (errorCode: string, message: string) =>
  new ApiError(401, errorCode, message);
export const forbidden = (errorCode: string, message: string) =>
  new ApiError(403, errorCode, message);
export const notFound = (errorCode: string, message: string) =>
  new ApiError(404, errorCode, message);

/** Creates HTTP's standard response to too many requests. The interface itself uses 403. */
export const limitExceeded = () =>
  new ApiError(429, 'REQUEST_LIMIT_EXCEEDED', 'The API request limit has been exceeded.', {
    'retry-after': '1',
  });
export const unavailable = () => new ApiError(503, 'UNAVAILABLE', 'The platform is unavailable.');

/** Also for a method that the path does not have: the interface has no other status for it. */
export const noSuchOperation = () =>
  notFound('OPERATION_NOT_FOUND', 'There is no such operation; check the method and the path.');

/**
 * Returns the status, headers and body of any error. Anything but an `ApiError` is a bug of the
 * sandbox, and its message is not shown.
 */
export function describeError(error: unknown) {
  if (error instanceof ApiError) {
    const { status, headers, message, errorCode, violations } = error;
    return { status, headers, body: { message, errorCode, ...(violations && { violations }) } };
  }
  if (isDiskFull(error)) {
    const message = 'The sandbox cannot store anything: the disk of its file is full.';
    return { status: 500, headers: {}, body: { message, errorCode: 'STORAGE_FULL' } };
  }
  const message = 'An internal error occurred and the request could not be completed.';
  return { status: 500, headers: {}, body: { message, errorCode: 'INTERNAL_ERROR' } };
}

const SQLITE_FULL = 13;
const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === SQLITE_FULL;

/** Converts an error that Fastify raised before an operation ran to the interface's form. */
export function fromFrameworkError(error: unknown): unknown {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  if (typeof status !== 'number' || status >= 500) return error;
  if (status === 413) return new ApiError(413, 'BODY_TOO_LARGE', 'The body is too large.');
  if (status === 414) return noSuchOperation();
  return new ApiError(status, 'MALFORMED_REQUEST', 'The request is malformed.');
}

/** Answers malformed HTTP with the same body as every other error. */
export function answerClientError({ code }: NodeJS.ErrnoException, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const isTooLong = code === 'HPE_HEADER_OVERFLOW';
  const status = isTooLong ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const message = isTooLong ? 'The headers are too large.' : 'The request is malformed.';
  const body = JSON.stringify({ message, errorCode: 'MALFORMED_REQUEST' });
  const length = Buffer.byteLength(body);
  const head = `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${length}`;
  socket.end(`HTTP/1.1 ${status}\r\n${head}\r\nConnection: close\r\n\r\n${body}`);
}
