/** The request was sent, but no response arrived. The gateway may have executed it. */
export class LostError extends Error {
  override readonly name: string = 'LostError';
}

/** The gateway cannot be reached. The request was not sent. */
export class OfflineError extends Error {
  override readonly name = 'OfflineError';
}

/** The gateway answered with an error. It has a message for people and a code for programs. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly code: string;
  /** Whether the same request may succeed later and does no harm. */
  readonly isRetryable: boolean;

  constructor(message: string, code: string, isRetryable: boolean) {
    super(message);
    this.code = code;
    this.isRetryable = isRetryable;
  }
}

/** The name of a document in the gateway, and the variables to run it with. */
export interface Operation {
  readonly documentId: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * The gateway. Both methods throw {@link LostError}, {@link OfflineError} or {@link RefusedError}.
 */
export interface Gateway {
  /**
   * Sends a query by GET. The data is `undefined` if the response with this ETag is still valid.
   */
  query(
    operation: Operation,
    etag?: string,
  ): Promise<{ readonly data?: unknown; readonly etag?: string | undefined }>;
  /** Sends a mutation by POST. */
  mutate(operation: Operation): Promise<unknown>;
  /**
   * Returns how long the gateway keeps an idempotency key, from its last response. `undefined`
   * before the first response.
   */
  keyLifetimeMs(): number | undefined;
}

interface GatewayOptions {
  readonly url: string;
  /** Returns the session token, or `undefined` before sign-in. */
  readonly token: () => string | undefined;
  /**
   * Returns whether a failure of `fetch` means that the request was not sent. The error differs by
   * platform.
   */
  readonly isUnsent: (error: unknown) => boolean;
}

const TIMEOUT_MS = 15_000;

export function createGateway({ url, token, isUnsent }: GatewayOptions): Gateway {
  const send = async (path: string, { headers, ...init }: RequestInit): Promise<Response> => {
    const known = token();
    const authorization = known === undefined ? {} : { authorization: `Bearer ${known}` };
    try {
      return await fetch(`${url}${path}`, {
        ...init,
        headers: { accept: 'application/json', ...headers, ...authorization },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (cause) {
      if (isUnsent(cause)) throw new OfflineError('The gateway cannot be reached.', { cause });
      throw new LostError('The gateway did not answer.', { cause });
    }
  };

  let keyLifetimeMs: number | undefined;

  return {
    keyLifetimeMs: () => keyLifetimeMs,
    async query({ documentId, variables }, etag) {
      const parameters = new URLSearchParams({ documentId, variables: JSON.stringify(variables) });
      const response = await send(`/graphql?${parameters}`, {
        headers: etag ? { 'if-none-match': etag } : {},
      });
      if (response.status === 304) return {};
      return { data: await readData(response), etag: response.headers.get('etag') ?? undefined };
    },
    async mutate(operation) {
      const headers = { 'content-type': 'application/json' };
      const response = await send('/graphql', {
        method: 'POST',
        headers,
        body: JSON.stringify(operation),
      });
      const keptSeconds = Number(response.headers.get('caseway-idempotency-keep') ?? 0);
      if (keptSeconds > 0) keyLifetimeMs = keptSeconds * 1_000;
      return readData(response);
    },
  };
}

interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions?: { readonly code?: string; readonly retryable?: boolean };
  }[];
}

/** Returns the data of a response without errors. A truncated response counts as lost. */
async function readData(response: Response): Promise<unknown> {
  const { data, errors } = (await response.json().catch((cause: unknown) => {
    throw new LostError('The gateway’s answer cannot be read.', { cause });
  })) as Answer;
  const [first] = errors ?? [];
  if (first === undefined) return data;
  const { code = 'UNKNOWN', retryable = false } = first.extensions ?? {};
  throw new RefusedError(first.message, code, retryable);
}
