import { onTestFinished } from 'vitest';

export const EVENTS = 'text/event-stream';
export const PARTS = 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0,application/json';

/** A subscription over HTTP, as its client reads it. */
export interface OpenedStream {
  readonly status: number;
  readonly headers: Headers;
  /** All that has come, as text. */
  text(): string;
  /** Resolves to the next result; rejects where the stream ends before. */
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape.
  next(): Promise<any>;
  /** Resolves when the stream has ended, to all that has come. */
  readonly ended: Promise<string>;
  close(): void;
}

interface Options {
  readonly accept?: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Subscribes at a gateway by POST; the stream ends with the test. */
export async function subscribe(url: string, query: string, options: Options = {}): Promise<OpenedStream> {
  const { accept = EVENTS, variables, headers } = options;
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    body: JSON.stringify({ query, variables }),
    signal: controller.signal,
  });
  let received = '';
  let given = 0;
  let isEnded = false;
  let wake = () => {};
  const read = async () => {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body ?? []) {
        received += decoder.decode(chunk, { stream: true });
        wake();
      }
    } finally {
      isEnded = true;
      wake();
    }
    return received;
  };
  const ended = read();
  ended.catch(() => undefined);
  const results = () =>
    accept.startsWith('multipart')
      ? [...received.matchAll(/\r\n\r\n(\{.*\})\r\n--graphql/g)]
          .map(([, json = '']) => JSON.parse(json).payload)
          .filter((payload) => payload !== undefined)
      : [...received.matchAll(/event: next\ndata: (.*)\n\n/g)].map(([, json = '']) => JSON.parse(json));
  return {
    status: response.status,
    headers: response.headers,
    text: () => received,
    ended,
    close: () => controller.abort(),
    async next() {
      for (;;) {
        const found = results();
        if (found.length > given) return found[given++];
        if (isEnded) throw new Error(`The stream has ended: ${received}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
