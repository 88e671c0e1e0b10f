import { LostError, OfflineError, RefusedError } from './failures.ts';

/** A document that the gateway knows by name, and the variables to run it with. */
export interface Asked {
  readonly documentId: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** What the gateway says to a question: an answer, or that the one of this ETag still holds. */
export type Reading =
  | { readonly isUnchanged: true }
  | { readonly isUnchanged: false; readonly data: unknown; readonly etag: string | undefined };

/** The gateway, asked by documents that it was given beforehand. */
export interface Gateway {
  /**
   * Asks by GET, so that what is here already need not travel again.
   *
   * @throws {OfflineError}, {LostError}, {RefusedError}
   */
  read(asked: Asked, etag: string | undefined): Promise<Reading>;
  /**
   * Asks for a change, by POST.
   *
   * @throws {OfflineError}, {LostError}, {RefusedError}
   */
  change(asked: Asked): Promise<unknown>;
}

interface GatewayOptions {
  readonly url: string;
  /** The session token; `undefined` before somebody signs in. */
  readonly token: () => string | undefined;
  readonly timeoutMs?: number;
}

export function createGateway({ url, token, timeoutMs = 15_000 }: GatewayOptions): Gateway {
  const send = async (address: string, { headers, ...init }: RequestInit): Promise<Response> => {
    const known = token();
    try {
      return await fetch(address, {
        ...init,
        headers: { accept: 'application/json', ...headers, ...(known && { authorization: `Bearer ${known}` }) },
        signal: AbortSignal.timeout(timeoutMs),
      });
    } catch (error) {
      throw toFailure(error);
    }
  };

  return {
    async read({ documentId, variables }, etag) {
      const query = new URLSearchParams({ documentId, variables: JSON.stringify(variables) });
      const response = await send(`${url}/graphql?${query}`, { headers: etag ? { 'if-none-match': etag } : {} });
      if (response.status === 304) return { isUnchanged: true };
      const data = await readData(response);
      return { isUnchanged: false, data, etag: response.headers.get('etag') ?? undefined };
    },
    async change(asked) {
      const headers = { 'content-type': 'application/json' };
      return readData(await send(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify(asked) }));
    },
  };
}

/** Failures of a connection that never came to be, by the codes of Node and its fetch. */
const UNSENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT'];

function toFailure(error: unknown): Error {
  const cause = error instanceof Error ? (error.cause as { readonly code?: string } | undefined) : undefined;
  if (UNSENT.includes(cause?.code ?? '')) return new OfflineError('The gateway cannot be reached.', { cause: error });
  return new LostError('The gateway did not answer.', { cause: error });
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
  const { data, errors } = (await response.json().catch((error: unknown) => {
    throw new LostError('The gateway’s answer cannot be read.', { cause: error });
  })) as Answer;
  const [first] = errors ?? [];
  if (first === undefined) return data;
  const { code = 'UNKNOWN', retryable = false } = first.extensions ?? {};
  throw new RefusedError(first.message, code, retryable);
}
