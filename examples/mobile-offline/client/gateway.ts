/** Something was sent, and no answer came: it may have been done, or not. */
export class LostError extends Error {
  override readonly name: string = 'LostError';
}

/** The gateway cannot be reached, and nothing was sent. */
export class OfflineError extends Error {
  override readonly name = 'OfflineError';
}

/** The gateway answered with an error, which has a message for people and a code for programs. */
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

/** A document that the gateway knows by its name, and the variables to run it with. */
export interface Operation {
  readonly documentId: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The gateway. Both methods throw {@link LostError}, {@link OfflineError} or {@link RefusedError}. */
export interface Gateway {
  /** Sends a query by GET. Data is `undefined` where the answer with this ETag is still right, and travels no second time. */
  query(operation: Operation, etag?: string): Promise<{ readonly data?: unknown; readonly etag?: string | undefined }>;
  /** Sends a mutation by POST. */
  mutate(operation: Operation): Promise<unknown>;
  /** How long the gateway keeps an idempotency key, as it said last; `undefined` before it has. */
  keyLifetimeMs(): number | undefined;
}

interface GatewayOptions {
  readonly url: string;
  /** The session token; `undefined` before somebody signs in. */
  readonly token: () => string | undefined;
  /** Whether a failure of `fetch` says that nothing was sent: each platform has its own words for it. */
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
      const response = await send(`/graphql?${parameters}`, { headers: etag ? { 'if-none-match': etag } : {} });
      if (response.status === 304) return {};
      return { data: await readData(response), etag: response.headers.get('etag') ?? undefined };
    },
    async mutate(operation) {
      const headers = { 'content-type': 'application/json' };
      const response = await send('/graphql', { method: 'POST', headers, body: JSON.stringify(operation) });
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

/** The data of an answer without errors. An answer that was cut off is as good as none. */
async function readData(response: Response): Promise<unknown> {
  const { data, errors } = (await response.json().catch((cause: unknown) => {
    throw new LostError('The gateway’s answer cannot be read.', { cause });
  })) as Answer;
  const [first] = errors ?? [];
  if (first === undefined) return data;
  const { code = 'UNKNOWN', retryable = false } = first.extensions ?? {};
  throw new RefusedError(first.message, code, retryable);
}
