import { Agent } from 'undici';
import { onTestFinished } from 'vitest';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A response as received. */
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
  /** Disconnects the client. */
  readonly signal?: AbortSignal | undefined;
}

/** An open subscription. */
export interface Stream {
  /** The response with its first result. */
  readonly first: Answer;
  /** Returns everything received so far. */
  received(): string;
  close(): void;
}

export type Client = ReturnType<typeof createClient>;

/** The most retries of a client at an overloaded gateway. */
const MAX_TRIES = 100;

/**
 * Creates a client of a gateway over HTTP, which retries at an overloaded gateway.
 *
 * @param urlOf returns the gateway's URL for a request with these headers.
 */
export function createClient(urlOf: (headers: ClientRequest['headers']) => string) {
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
    return {
      status: statusCode,
      headers,
      text: answer,
      body: JSON.parse(answer) as Answer['body'],
    };
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
    const first = {
      status: statusCode,
      headers,
      text,
      body: JSON.parse(json ?? '{}') as Answer['body'],
    };
    return { first, received: () => text, close: () => body.destroy() };
  };
  return {
    get requestCount() {
      return requestCount;
    },
    /** Sends a request. Rejects if the client disconnects. */
    async send(given: ClientRequest) {
      let answer = await sendOnce(given);
      for (let tries = 1; answer.status === 503 && tries < MAX_TRIES; tries++)
        answer = await sendOnce(given);
      return answer;
    },
    /** Subscribes, and waits for the first result. Rejects if the client disconnects. */
    async watch(given: ClientRequest) {
      let stream = await watchOnce(given);
      for (let tries = 1; stream.first.status === 503 && tries < MAX_TRIES; tries++)
        stream = await watchOnce(given);
      return stream;
    },
  };
}

const NEXT = /event: next\ndata: (.*)\n\n/;
