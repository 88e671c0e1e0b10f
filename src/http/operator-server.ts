import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { isLoopback, namesLoopback } from './browser-security.ts';
import type { Health } from './health.ts';
import { createNodeServer } from './node-server.ts';

/** A response for operators. */
export interface OperatorPage {
  /** 200 where it is missing. */
  readonly status?: number;
  /** The media type. */
  readonly type: string;
  readonly body: string;
  /** Besides those of every page. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What operators are served, on a port of their own that only they need to reach. */
export interface OperatorServer {
  /** By path. */
  readonly pages: Map<string, (headers: IncomingHttpHeaders) => Promise<OperatorPage>>;
  /**
   * Answers health as well. A new connection of clients may wait for seconds while the gateway is overloaded, since Node accepts
   * one in a turn of the event loop; those of this port wait for each other alone.
   */
  serveHealth(health: Health): void;
  /** Gives the address, without a path. */
  listen(): Promise<string>;
  close(): void;
}

const MAX_CONNECTIONS = 16;
const INACTIVITY_TIMEOUT_MS = 30_000;
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  vary: 'Accept',
  'x-content-type-options': 'nosniff',
};

const LOOPBACK_ONLY = 'HOST is a loopback address, where only loopback names are served.';

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
}

/**
 * Creates the server of `METRICS_PORT`, which does not listen yet. On a loopback address it takes loopback's names alone: a page
 * whose name was rebound to it names itself.
 */
export function createOperatorServer({ port, host }: { readonly port: number; readonly host: string }): OperatorServer {
  const pages: OperatorServer['pages'] = new Map();
  const isServedHost = isLoopback(host) ? namesLoopback : () => true;
  const answer = async ({ method, url = '', headers }: IncomingMessage, response: ServerResponse) => {
    response.setHeaders(new Map(Object.entries(HEADERS)));
    if (!isServedHost(headers.host ?? '')) return void say(response, 421, LOOPBACK_ONLY);
    const isRead = method === 'GET' || method === 'HEAD';
    const page = isRead ? await pages.get(url.replace(/\?.*/, ''))?.(headers) : undefined;
    if (page) response.writeHead(page.status ?? 200, { ...page.headers, 'content-type': page.type }).end(page.body);
    else say(response, 404, `This port serves ${[...pages.keys()].join(', ')}.`);
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    answer(request, response).catch(() => response.destroy());
  };
  const limits = { maxConnections: MAX_CONNECTIONS, inactivityTimeoutMs: INACTIVITY_TIMEOUT_MS };
  const { server, answerClientError } = createNodeServer(listener, limits);
  server.on('clientError', answerClientError);

  return {
    pages,
    serveHealth(health) {
      for (const [path, read] of health) {
        pages.set(path, async () => {
          const { status, body } = await read();
          return { status, type: 'application/json; charset=utf-8', body: JSON.stringify(body) };
        });
      }
    },
    async listen() {
      server.listen(port, host);
      await once(server, 'listening');
      const { address, family, port: taken } = server.address() as AddressInfo;
      return `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
