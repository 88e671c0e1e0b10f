import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Metrics } from '../telemetry/metrics.ts';
import { createNodeServer } from './node-server.ts';

/** Metrics on a port of their own, which only monitoring needs to reach. */
export interface MetricsServer {
  /** Where they are read. */
  readonly url: string;
  close(): void;
}

const MAX_CONNECTIONS = 16;
const INACTIVITY_TIMEOUT_MS = 30_000;

/** Serves the metrics at `/metrics`. */
export async function serveMetrics(
  { text, contentType }: Metrics,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<MetricsServer> {
  const answer: RequestListener = async (request, response) => {
    const isFound = request.url === '/metrics' && request.method === 'GET';
    const body = isFound ? await text() : '';
    response.writeHead(isFound ? 200 : 404, { 'content-type': contentType, 'cache-control': 'no-store' }).end(body);
  };
  const limits = { maxConnections: MAX_CONNECTIONS, inactivityTimeoutMs: INACTIVITY_TIMEOUT_MS };
  const { server, answerClientError } = createNodeServer(answer, limits);
  server.on('clientError', answerClientError);
  server.listen(port, host);
  await once(server, 'listening');
  const { address, family, port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}/metrics`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
