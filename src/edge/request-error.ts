interface Details {
  /** Sent with the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What clients read in `extensions.code`; it goes by the status where it is not given. */
  readonly code?: string;
}

/** A request that is refused before it reaches the graph. Its message is meant for the client. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly code: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;

  constructor(statusCode: number, message: string, { headers = {}, code = codeOf(statusCode) }: Details = {}) {
    super(message);
    this.statusCode = statusCode;
    this.headers = headers;
    this.code = code;
    this.retryable = statusCode >= 500;
  }
}

const codeOf = (status: number): string =>
  status === 401 ? 'UNAUTHENTICATED' : status === 403 ? 'FORBIDDEN' : 'BAD_USER_INPUT';
