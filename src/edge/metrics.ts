import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { limitPipelining } from '../http/pipelining.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** Figures on a port of their own, which nobody but who watches the gateway need reach. */
export interface MetricsServer {
  /** Where they are read. */
  readonly url: string;
  close(): void;
}

/** Who reads figures reads them whole and goes. */
const TIMEOUT_MS = 10_000;
const CONNECTIONS_AT_MOST = 16;

/** Serves the figures at `/metrics`. */
export async function serveMetrics(
  { text, contentType }: Metrics,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<MetricsServer> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const isFound = request.url === '/metrics' && request.method === 'GET';
    response.writeHead(isFound ? 200 : 404, { 'content-type': contentType, 'cache-control': 'no-store' });
    response.end(isFound ? await text() : '');
  };
  const server = createServer(
    { requestTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS, requireHostHeader: false },
    limitPipelining(answer),
  );
  server.maxConnections = CONNECTIONS_AT_MOST;
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
