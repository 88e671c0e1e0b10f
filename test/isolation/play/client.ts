import { Agent } from 'undici';
import { onTestFinished } from 'vitest';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** An answer as it came over the wire. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: {
    // biome-ignore lint/suspicious/noExplicitAny: the caller knows its shape.
    readonly data?: any;
    readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[];
  };
}

export interface ClientRequest {
  readonly text: string;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the client's connection. */
  readonly signal?: AbortSignal | undefined;
}

/** A client of a gateway over HTTP. */
/** A subscription that is open. */
export interface Stream {
  /** Its response with its first result. */
  readonly first: Answer;
  /** All that has come. */
  received(): string;
  close(): void;
}

export interface Client {
  /** Rejects when the client disconnected itself. Repeats the request to an overloaded gateway. */
  send(request: ClientRequest): Promise<Answer>;
  /** Subscribes, and waits for the first result, as `send` does for a response. */
  watch(request: ClientRequest): Promise<Stream>;
  readonly requestCount: number;
}

/** How often a client retries on an overloaded gateway. */
const MAX_TRIES = 100;

/** @param urlOf gives the gateway for a request with these headers. */
export function createClient(urlOf: (headers: ClientRequest['headers']) => string): Client {
  const agent = new Agent({ pipelining: 1 });
  onTestFinished(() => agent.destroy());
  let requestCount = 0;

  const request = ({ text, variables, headers, signal }: ClientRequest, accept?: string) => {
    requestCount++;
    return agent.request({
      origin: urlOf(headers),
      path: '/graphql',
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers, ...(accept && { accept }) },
      body: JSON.stringify({ query: text, variables }),
      signal: signal ?? null,
    });
  };
  const sendOnce = async (given: ClientRequest): Promise<Answer> => {
    const { statusCode, headers, body } = await request(given);
    const answer = await body.text();
    return { status: statusCode, headers, text: answer, body: JSON.parse(answer) as Answer['body'] };
  };
  const watchOnce = async (given: ClientRequest): Promise<Stream> => {
    const { statusCode, headers, body } = await request(given, 'text/event-stream');
    const isStream = String(headers['content-type']).startsWith('text/event-stream');
    let text = '';
    const { promise, resolve } = Promise.withResolvers<void>();
    body.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      if (isStream && NEXT.test(text)) resolve();
    });
    for (const end of ['end', 'close', 'error']) body.on(end, () => resolve());
    await promise;
    given.signal?.throwIfAborted();
    const json = isStream ? NEXT.exec(text)?.[1] : text;
    const first = { status: statusCode, headers, text, body: JSON.parse(json ?? '{}') as Answer['body'] };
    return { first, received: () => text, close: () => body.destroy() };
  };
  const untilServed = async <T>(once: () => Promise<T>, statusOf: (answer: T) => number): Promise<T> => {
    for (let tries = 1; ; tries++) {
      const answer = await once();
      if (statusOf(answer) !== 503 || tries === MAX_TRIES) return answer;
    }
  };
  return {
    get requestCount() {
      return requestCount;
    },
    send: (given) =>
      untilServed(
        () => sendOnce(given),
        ({ status }) => status,
      ),
    watch: (given) =>
      untilServed(
        () => watchOnce(given),
        ({ first }) => first.status,
      ),
  };
}

const NEXT = /event: next\ndata: (.*)\n\n/;
