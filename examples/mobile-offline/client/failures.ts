/** The gateway cannot be reached: nothing was sent. */
export class OfflineError extends Error {
  override readonly name = 'OfflineError';
}

/** Something was sent, and no answer came: it may have been done, or not. */
export class LostError extends Error {
  override readonly name = 'LostError';
}

/** The gateway answered that it cannot be done, in its own words and with a code for programs. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly code: string;
  /** Whether the same request may succeed later, and does no harm. */
  readonly isRetryable: boolean;

  constructor(message: string, code: string, isRetryable: boolean) {
    super(message);
    this.code = code;
    this.isRetryable = isRetryable;
  }
}
