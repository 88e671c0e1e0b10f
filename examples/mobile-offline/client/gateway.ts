import { createConnection, type GraphqlResponse, RequestError } from 'caseway/client';

/** The name of a document in the gateway, and the variables to run it with. */
export interface Operation {
  readonly documentId: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

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
}

interface GatewayOptions {
  readonly url: string;
  /** Returns the session token, or `undefined` before sign-in. */
  readonly token: () => string | undefined;
  /** Called with the time for which the gateway keeps an idempotency key, in milliseconds. */
  readonly onKeyLifetime: (keyLifetimeMs: number) => void;
}

const TIMEOUT_MS = 15_000;

export function createGateway({ url, token, onKeyLifetime }: GatewayOptions): Gateway {
  const headers = (): Record<string, string> => {
    const known = token();
    return known === undefined ? {} : { authorization: `Bearer ${known}` };
  };
  const { request } = createConnection({
    url: `${url}/graphql`,
    headers,
    timeoutMs: TIMEOUT_MS,
    async fetch(...args) {
      const response = await fetch(...args);
      const keptSeconds = Number(response.headers.get('caseway-idempotency-keep') ?? 0);
      if (keptSeconds > 0) onKeyLifetime(keptSeconds * 1_000);
      return response;
    },
  });

  return {
    async query({ documentId, variables }, etag) {
      const parameters = new URLSearchParams({ documentId, variables: JSON.stringify(variables) });
      const response = await fetch(`${url}/graphql?${parameters}`, {
        headers: { ...headers(), ...(etag && { 'if-none-match': etag }) },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (response.status === 304) return {};
      // A truncated response has no data.
      const result = (await response.json().catch(() => ({}))) as GraphqlResponse;
      if (result.data == null || result.errors) throw new RequestError(response.status, result);
      return { data: result.data, etag: response.headers.get('etag') ?? undefined };
    },
    mutate: ({ documentId, variables }) => request({ documentId }, variables),
  };
}
