import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { listen } from '../../support/listen.ts';

/** A request as received. */
export interface Received {
  readonly method: string;
  /** Path and query, undecoded. */
  readonly target: string;
  /** Every header in order, with repeats. Names are in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** A response. A body other than a string or a buffer is sent as JSON. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: unknown;
}

export type Answerer = (received: Received) => Reply | Promise<Reply>;

/** Starts a server on loopback that records its requests. It ends with the test. */
export async function startServer(answer: Answerer) {
  const received: Received[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', rawHeaders } = request;
    const arrived = {
      method,
      target: url,
      headers: toPairs(rawHeaders),
      body: await text(request),
    };
    received.push(arrived);
    const { status, headers = {}, body } = await answer(arrived);
    response.writeHead(status, headers);
    response.end(
      body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
        ? body
        : JSON.stringify(body),
    );
  };
  const server = createServer((request, response) => void serve(request, response));
  return { url: await listen(server), received };
}

/** Returns all values of a header, unchanged. */
export const valuesOf = ({ headers }: Received, name: string): string[] =>
  headers.filter(([given]) => given === name).map(([, value]) => value);

const toPairs = (raw: readonly string[]) =>
  Array.from(
    { length: raw.length / 2 },
    (_, pair) => [(raw[2 * pair] ?? '').toLowerCase(), raw[2 * pair + 1] ?? ''] as const,
  );
