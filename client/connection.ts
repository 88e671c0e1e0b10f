import { isUnauthenticated } from './errors.ts';
import { readData } from './response.ts';
import { type Listener, runStream } from './stream.ts';

/** A document with the types of its result and variables, as code generators write it. */
export interface TypedDocument<Data, Variables> {
  /** Absent at run time. */
  __apiType?: ((variables: Variables) => Data) | undefined;
}

/** A text, or the name of a trusted document. */
export type Document<Data, Variables> =
  | string
  | { readonly documentId: string }
  | TypedDocument<Data, Variables>;

export interface ConnectionOptions {
  /** The address of GraphQL: `/graphql` in a browser on the same origin. */
  readonly url: string;
  /** Returns the headers of each request, such as `authorization`. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** The function that sends requests. The default is the global `fetch`. */
  readonly fetch?: typeof fetch;
  /**
   * The time to wait for a response, in milliseconds.
   * @default 60_000
   */
  readonly timeoutMs?: number;
}

export interface RequestOptions {
  /** Ends the request. A write may have been made then. */
  readonly signal?: AbortSignal;
}

/** The signed-in user. */
export interface SignedIn {
  readonly viewer: { readonly name: string };
  /** The session outside of browsers, which have a cookie. Send it as `authorization: Bearer …`. */
  readonly sessionToken: string;
  /** The time at which the session ends, in the format of RFC 3339. */
  readonly expiresAt: string;
}

/** A connection to a gateway. */
export interface Connection {
  /**
   * Sends a query or a mutation once.
   *
   * @returns its data.
   * @throws {RequestError} if the response has an error.
   */
  request<Data = unknown, Variables = Readonly<Record<string, unknown>>>(
    document: Document<Data, Variables>,
    variables?: Variables,
    options?: RequestOptions,
  ): Promise<Data>;
  /**
   * Opens a subscription. Opens it again if the stream is lost, until it ends or is refused. It
   * needs a `fetch` with streams, which React Native lacks.
   *
   * @returns a function that closes it.
   */
  subscribe<Data, Variables>(
    document: Document<Data, Variables>,
    variables: Variables,
    listener: Listener,
  ): () => void;
  /**
   * Signs in. In a browser the gateway sets a cookie that scripts cannot read.
   *
   * @throws {RequestError} `UNAUTHENTICATED` if user name or password are wrong.
   */
  signIn(username: string, password: string): Promise<SignedIn>;
  /** Ends the session, also if it has ended already. */
  signOut(): Promise<void>;
}

/**
 * Creates a connection to a gateway.
 *
 * @example
 * const { request } = createConnection({ url: '/graphql' });
 * const { forms } = await request('{ forms { totalCount } }');
 */
export function createConnection(options: ConnectionOptions): Connection {
  const { url, headers, timeoutMs = 60_000 } = options;

  function send(accept: string, body: object, signal: AbortSignal): Promise<Response> {
    const { fetch = globalThis.fetch } = options;
    return fetch(url, {
      method: 'POST',
      credentials: 'same-origin',
      // A page of another site cannot add `x-csrf`, so the gateway accepts the cookie with it.
      headers: { accept, 'content-type': 'application/json', 'x-csrf': '1', ...headers?.() },
      body: JSON.stringify(body),
      signal,
    });
  }

  async function request<Data, Variables>(
    document: Document<Data, Variables>,
    variables?: Variables,
    { signal }: RequestOptions = {},
  ): Promise<Data> {
    const controller = new AbortController();
    const abort = () => controller.abort(signal?.reason);
    const timer = setTimeout(() => controller.abort(timeoutError(timeoutMs)), timeoutMs);
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    try {
      const body = { ...toParameters(document), variables };
      const response = await send(ACCEPT_JSON, body, controller.signal);
      return readData(response.status, await response.text()) as Data;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  return {
    request,
    subscribe(document, variables, listener) {
      const controller = new AbortController();
      const body = { ...toParameters(document), variables };
      const open = () => send('text/event-stream', body, controller.signal);
      runStream(open, listener, controller.signal);
      return () => controller.abort();
    },
    async signIn(username, password) {
      const data = await request(SIGN_IN, { input: { username, password } });
      return (data as { readonly signIn: SignedIn }).signIn;
    },
    async signOut() {
      try {
        await request(SIGN_OUT);
      } catch (error) {
        if (!isUnauthenticated(error)) throw error;
      }
    },
  };
}

const ACCEPT_JSON = 'application/graphql-response+json, application/json;q=0.9';

const SIGN_IN = `mutation SignIn($input: SignInInput!) {
  signIn(input: $input) { viewer { name } sessionToken expiresAt }
}`;
const SIGN_OUT = 'mutation SignOut { signOut { viewer { name } } }';

/** Returns the parameters that name a document: its text, or the id of a trusted one. */
function toParameters(document: object | string): object {
  if (typeof document === 'string') return { query: document };
  if ('documentId' in document) return { documentId: document.documentId };

  const { loc, __meta__ } = document as {
    readonly loc?: { readonly source: { readonly body: string } };
    readonly __meta__?: { readonly hash?: string };
  };
  // The client preset's `documentMode: 'string'` generates objects of `String`.
  const query = document instanceof String ? document.toString() : loc?.source.body;
  if (query) return { query };
  if (__meta__?.hash) return { documentId: __meta__.hash };
  throw new TypeError(
    'The document has no text. Pass a string, or generate documents with documentMode: "string".',
  );
}

function timeoutError(timeoutMs: number): Error {
  const error = new Error(`The gateway did not respond within ${timeoutMs} ms.`);
  error.name = 'TimeoutError';
  return error;
}
