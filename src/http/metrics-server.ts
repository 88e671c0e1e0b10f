import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Metrics } from '../telemetry/metrics.ts';
import { isLoopback, namesLoopback } from './browser-security.ts';
import { createNodeServer } from './node-server.ts';
import { renderStatus, STATUS_HEADERS, type Status } from './status-page.ts';

/** Metrics and a page for operators, on a port of their own that only they need to reach. */
export interface MetricsServer {
  /** The address, without a path. */
  readonly url: string;
  close(): void;
}

const MAX_CONNECTIONS = 16;
const INACTIVITY_TIMEOUT_MS = 30_000;

/**
 * Serves the metrics at `/metrics`, and the gateway's state at `/status`, as a page or as JSON. On a loopback address it takes
 * loopback's names alone: a page whose name was rebound to it names itself.
 */
export async function serveMetrics(
  { text, contentType }: Metrics,
  readStatus: () => Promise<Status>,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<MetricsServer> {
  const pages = new Map<unknown, (headers: IncomingHttpHeaders) => Promise<Page>>([
    ['/metrics', async () => ({ type: contentType, body: await text() })],
    ['/status', async ({ accept }) => writeStatus(await readStatus(), accept)],
  ]);
  const isServedHost = isLoopback(host) ? namesLoopback : () => true;
  const answer = async ({ method, url = '', headers }: IncomingMessage, response: ServerResponse) => {
    response.setHeaders(new Map(Object.entries(STATUS_HEADERS)));
    if (!isServedHost(headers.host ?? '')) return void response.writeHead(421).end();
    const page = method === 'GET' ? await pages.get(url.replace(/\?.*/, ''))?.(headers) : undefined;
    if (page) response.writeHead(200, { 'content-type': page.type }).end(page.body);
    else response.writeHead(404).end();
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    answer(request, response).catch(() => response.destroy());
  };
  const limits = { maxConnections: MAX_CONNECTIONS, inactivityTimeoutMs: INACTIVITY_TIMEOUT_MS };
  const { server, answerClientError } = createNodeServer(listener, limits);
  server.on('clientError', answerClientError);
  server.listen(port, host);
  await once(server, 'listening');
  const { address, family, port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Page {
  readonly type: string;
  readonly body: string;
}

const writeStatus = (status: Status, accept = ''): Page =>
  accept.includes('application/json')
    ? { type: 'application/json', body: JSON.stringify(status) }
    : { type: 'text/html; charset=utf-8', body: renderStatus(status) };
