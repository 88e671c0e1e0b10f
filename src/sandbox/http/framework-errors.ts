import type { FastifyServerOptions } from 'fastify';

import { ApiError } from './api-error.ts';

/** What the framework refuses before an operation sees it, in the interface's words. */
export function toApiError(error: unknown): unknown {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  if (typeof status !== 'number' || status >= 500) return error;
  if (status === 413) return new ApiError(413, 'BODY_TOO_LARGE', 'The body is too large.');
  if (status === 414) return noSuchOperation();
  return new ApiError(status, 'MALFORMED_REQUEST', 'The request cannot be read.');
}

// A method that a path does not have is a 404 too: the interface has no other status for it.
export const noSuchOperation = () =>
  new ApiError(404, 'OPERATION_NOT_FOUND', 'There is no such operation; check the method and the path.');

/** Answers what is no HTTP that node could read, with the same body as everything else. */
export const answerClientError: NonNullable<FastifyServerOptions['clientErrorHandler']> = (error, socket) => {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, reason] =
    error.code === 'HPE_HEADER_OVERFLOW' ? ['431 Request Header Fields Too Large', 'The headers are too large.'] : BAD;
  const body = JSON.stringify({ message: reason, errorCode: 'MALFORMED_REQUEST' });
  const head = `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}`;
  socket.end(`HTTP/1.1 ${status}\r\n${head}\r\nConnection: close\r\n\r\n${body}`);
};

const BAD = ['400 Bad Request', 'The request cannot be read.'] as const;
