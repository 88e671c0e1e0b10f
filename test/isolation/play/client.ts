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
export interface Client {
  /** Rejects when the client disconnected itself. Repeats the request to an overloaded gateway. */
  send(request: ClientRequest): Promise<Answer>;
  readonly requestCount: number;
}

/** How often a client retries on an overloaded gateway. */
const MAX_TRIES = 100;

/** @param urlOf gives the gateway for a request with these headers. */
export function createClient(urlOf: (headers: ClientRequest['headers']) => string): Client {
  const agent = new Agent({ connections: 64, pipelining: 1 });
  onTestFinished(() => agent.destroy());
  let requestCount = 0;

  const sendOnce = async ({ text, variables, headers, signal }: ClientRequest): Promise<Answer> => {
    requestCount++;
    const {
      statusCode,
      headers: received,
      body,
    } = await agent.request({
      origin: urlOf(headers),
      path: '/graphql',
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query: text, variables }),
      signal: signal ?? null,
    });
    const answer = await body.text();
    return { status: statusCode, headers: received, text: answer, body: JSON.parse(answer) as Answer['body'] };
  };
  return {
    get requestCount() {
      return requestCount;
    },
    async send(request) {
      for (let tries = 1; ; tries++) {
        const answer = await sendOnce(request);
        if (answer.status !== 503 || tries === MAX_TRIES) return answer;
      }
    },
  };
}
