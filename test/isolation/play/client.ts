import { Agent } from 'undici';
import { onTestFinished } from 'vitest';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** An answer as it came over the wire. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: {
    // biome-ignore lint/suspicious/noExplicitAny: whoever asks knows what it looks like.
    readonly data?: any;
    readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[];
  };
}

export interface Asked {
  readonly text: string;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the client's connection. */
  readonly signal?: AbortSignal | undefined;
}

/** Asks a gateway by HTTP. */
export interface Client {
  /** Rejects when the client went away itself. A gateway that has too much to do is asked again. */
  ask(asked: Asked): Promise<Answer>;
  readonly askedCount: number;
}

/** How often a client comes back to a gateway that refuses work for a moment. */
const MAX_TRIES = 100;

export function createClient(url: () => string): Client {
  const agent = new Agent({ connections: 64, pipelining: 1 });
  onTestFinished(() => agent.destroy());
  let askedCount = 0;

  const once = async ({ text, variables, headers, signal }: Asked): Promise<Answer> => {
    askedCount++;
    const {
      statusCode,
      headers: received,
      body,
    } = await agent.request({
      origin: url(),
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
    get askedCount() {
      return askedCount;
    },
    async ask(asked) {
      for (let tries = 1; ; tries++) {
        const answer = await once(asked);
        if (answer.status !== 503 || tries === MAX_TRIES) return answer;
      }
    },
  };
}
