import { createServer, type RequestListener, type Server } from 'node:http';

import { limitPipelining } from '../../http/pipelining.ts';
import { headTimeoutMs, type ServerLimits } from './limits.ts';
import { withinSendTime } from './send-time.ts';
import type { Turns } from './turns.ts';

/** How often connections are looked through for slow ones: often, so that thousands are not all turned away at a time. */
const CHECK_MS = 20;

/** Makes the HTTP server. Whoever is too slow, or wants too much of it, is turned away. */
export function createHttpServer(limits: ServerLimits, turns: Turns, serve: RequestListener): Server {
  const { headersTimeoutMs, receiveTimeoutMs } = limits;
  const server = createServer(
    {
      headersTimeout: headTimeoutMs(limits),
      requestTimeout: receiveTimeoutMs,
      connectionsCheckingInterval: Math.min(CHECK_MS, Math.ceil(headersTimeoutMs / 4)),
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      // What Node refuses by itself is not counted, and is no JSON.
      requireHostHeader: false,
    },
    limitPipelining(turns.oneAtATime(withinSendTime(serve, limits.sendTimeoutMs))),
  );
  server.timeout = limits.stalledAfterMs;
  return server;
}
