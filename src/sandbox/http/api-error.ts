import type { Answer } from './operation.ts';

/** A refusal: the status, and what its body says. Source: the interface's "Errors". */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly errorCode: string;

  constructor(status: number, errorCode: string, message: string) {
    super(message);
    this.status = status;
    this.errorCode = errorCode;
  }
}

export const badRequest = (errorCode: string, message: string) => new ApiError(400, errorCode, message);
export const unauthorized = (errorCode: string, message: string) => new ApiError(401, errorCode, message);
export const forbidden = (errorCode: string, message: string) => new ApiError(403, errorCode, message);
export const notFound = (errorCode: string, message: string) => new ApiError(404, errorCode, message);

const INTERNAL = {
  status: 500,
  errorCode: 'INTERNAL_ERROR',
  message: 'An internal error occurred and the request could not be completed.',
};

/** Words an error as an answer. Anything but an `ApiError` is ours, and says nothing of itself. */
export function toAnswer(error: unknown): Answer {
  const { status, errorCode, message } = error instanceof ApiError ? error : INTERNAL;
  return { status, body: () => ({ message, errorCode }) };
}
