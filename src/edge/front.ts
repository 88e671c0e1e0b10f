import type { RequestListener, Server } from 'node:http';

import { type Admission, createAdmission } from './admission/admission.ts';
import { createGate } from './admission/gate.ts';
import { createLagProbe } from './admission/lag.ts';
import { createPace } from './admission/pace.ts';
import { createPeek, type Peek } from './admission/peek.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import { createLifetimes, type Lifetimes } from './lifetime.ts';
import { createHttpServer } from './server/http-server.ts';
import type { ServerLimits } from './server/limits.ts';

/** How much the gateway takes on. */
export interface FrontOptions {
  readonly serverLimits: ServerLimits;
  /** The deadline of one GraphQL request. */
  readonly requestTimeoutMs: number;
  /** How many requests may be in flight at most, health aside. */
  readonly maxInFlight: number;
  /** How late the event loop may be before fewer requests are let in. */
  readonly targetLagMs: number;
  /** The longest body that is read of a request that may have to be refused. */
  readonly bodyMaxBytes: number;
}

/** What stands before the routes: who is let in, how long their work may take, and whether the gateway stops. */
export interface Front {
  readonly admission: Admission;
  readonly peek: Peek;
  readonly lifecycle: Lifecycle;
  readonly lifetimes: Lifetimes;
  /** How late the event loop was of late, in milliseconds. */
  lagMs(): number;
  /** Makes a server whose requests come to `serve` when they are let in. */
  createServer(serve: RequestListener): Server;
  /** Closes what is still connected. */
  close(): void;
}

/** Waiting for a turn is what a busy gateway is there for: it counts as half as bad as an event loop that is late. */
const WAIT_WEIGHT = 0.5;

/** How much is held of bodies that are read before their requests are let in, for all of them. */
const PEEKED_MAX_BYTES = 16_777_216;

export function createFront(options: FrontOptions): Front {
  const { serverLimits, requestTimeoutMs, bodyMaxBytes } = options;
  const gate = createGate(options);
  const pace = createPace();
  const probe = createLagProbe({ onSample: (lagMs) => gate.observe(Math.max(lagMs, pace.takeWaitMs() * WAIT_WEIGHT)) });
  const peek = createPeek({ maxBytes: bodyMaxBytes, maxHeldBytes: PEEKED_MAX_BYTES });
  const admission = createAdmission({ gate, peek, pace, maxDrainedBytes: bodyMaxBytes });
  const lifecycle = createLifecycle();
  const servers: Server[] = [];

  return {
    admission,
    peek,
    lifecycle,
    lifetimes: createLifetimes(requestTimeoutMs),
    lagMs: probe.recentMs,
    createServer(serve) {
      const server = createHttpServer(serverLimits, lifecycle.watch(admission.guard(serve)));
      server.on('connection', pace.connected);
      servers.push(server);
      return server;
    },
    close() {
      probe.stop();
      for (const server of servers) server.closeAllConnections();
    },
  };
}
