import type { FastifyInstance } from 'fastify';

import type { Log } from '../core/log.ts';
import { isLoopback, namesLoopback } from './browser-security.ts';
import { createServer } from './node-server.ts';

const MAX_CONNECTIONS = 16;
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  vary: 'Accept',
  'x-content-type-options': 'nosniff',
};

/**
 * Creates the server of `METRICS_PORT` for operators, before it listens. On a loopback address it
 * accepts only loopback names, as protection against DNS rebinding.
 */
export function createOperatorServer({
  host,
  log,
}: {
  readonly host: string;
  readonly log: Log;
}): FastifyInstance {
  const isServedHost = isLoopback(host) ? namesLoopback : () => true;
  const paths = new Set<string>();
  const { app } = createServer(MAX_CONNECTIONS, {
    connectionTimeout: 30_000,
    forceCloseConnections: true,
  });
  app.addHook('onRoute', ({ url }) => void paths.add(url));
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(HEADERS);
    if (isServedHost(request.headers.host ?? '')) return done();
    reply.code(421).send('HOST is a loopback address, where only loopback names are served.\n');
  });
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send(`This port serves ${[...paths].join(', ')}.\n`),
  );
  app.setErrorHandler((err, _request, reply) => {
    log.error({ err }, 'unexpected error');
    return reply.code(500).send('Internal server error\n');
  });
  return app;
}
