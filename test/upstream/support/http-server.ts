import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { listen } from '../../support/listen.ts';

/** A request as received. */
export interface Received {
  readonly method: string;
  /** Path and query, undecoded. */
  readonly target: string;
  /** All values of each header, by its name in lower case. */
  readonly headers: IncomingMessage['headersDistinct'];
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
    const { method = '', url: target = '', headersDistinct: headers } = request;
    const arrived = { method, target, headers, body: await text(request) };
    received.push(arrived);
    const reply = await answer(arrived);
    const { body } = reply;
    response.writeHead(reply.status, reply.headers ?? {});
    response.end(
      body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
        ? body
        : JSON.stringify(body),
    );
  };
  const server = createServer((request, response) => void serve(request, response));
  return { url: await listen(server), received };
}
