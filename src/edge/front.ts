import type { RequestListener, Server } from 'node:http';

import { type Admission, createAdmission } from './admission/admission.ts';
import { createDoor } from './admission/door.ts';
import { createGate } from './admission/gate.ts';
import { createLagProbe } from './admission/lag.ts';
import { createPace } from './admission/pace.ts';
import { createPeek, type Peek } from './admission/peek.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import { createLifetimes, type Lifetimes } from './lifetime.ts';
import { type ClientErrors, createClientErrors } from './server/client-errors.ts';
import { createHttpServer } from './server/http-server.ts';
import { headTimeoutMs, type ServerLimits } from './server/limits.ts';
import { addListeners, type Listeners } from './server/listeners.ts';
import { createTurns } from './server/turns.ts';
import { createWaitingRoom } from './server/waiting-room.ts';

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
  readonly clientErrors: ClientErrors;
  /** How late the event loop was of late, in milliseconds. */
  lagMs(): number;
  /** Makes a server whose requests come to `serve` when they are let in. */
  createServer(serve: RequestListener): Server;
  /** Begins to stop: from now on every answer ends its connection, and every client is heard. */
  drain(): void;
  /** Takes no new connection, besides what each server takes until it is closed. */
  stopListening(): void;
  /** Closes what is still connected. */
  close(): void;
}

/** How much is held of bodies that are read before their requests are let in, for all of them. */
const PEEKED_MAX_BYTES = 16_777_216;

/** How long a connection is not listened to on which a caller asked for more than others have. */
const DEAF_MS = 100;

export function createFront(options: FrontOptions): Front {
  const { serverLimits, requestTimeoutMs, bodyMaxBytes } = options;
  const gate = createGate(options);
  const pace = createPace();
  const probe = createLagProbe({ onSample: (lagMs) => gate.observe(Math.max(lagMs, pace.takeWaitMs())) });
  const peek = createPeek({
    maxBytes: bodyMaxBytes,
    maxHeldBytes: PEEKED_MAX_BYTES,
  });
  const admission = createAdmission({ gate, peek, pace, maxDrainedBytes: bodyMaxBytes });
  const lifecycle = createLifecycle();
  const turns = createTurns(serverLimits.maxRequestsPerConnection);
  const clientErrors = createClientErrors();
  const room = createWaitingRoom(
    { silentMs: headTimeoutMs(serverLimits), idleMs: serverLimits.keepAliveTimeoutMs },
    clientErrors.answerLate,
  );
  const door = createDoor({
    room,
    // An answer that ends its connection, as all do while the gateway stops, is not the door's to give.
    isOpen: () => admission.isOpen() || lifecycle.isDraining(),
    isIdle: turns.isIdle,
    mayPass: admission.mayPass,
    callerOf: admission.callerOf,
    isGreedy: admission.isGreedy,
    deafMs: DEAF_MS,
    refusal: admission.refusal,
  });
  const servers: Server[] = [];
  const listeners: Listeners[] = [];

  return {
    admission,
    peek,
    lifecycle,
    lifetimes: createLifetimes(requestTimeoutMs),
    clientErrors,
    lagMs: probe.recentMs,
    createServer(serve) {
      const server = createHttpServer(serverLimits, turns, lifecycle.watch(admission.guard(serve)));
      door.guard(server);
      server.on('connection', pace.connected);
      listeners.push(addListeners(server, serverLimits));
      servers.push(server);
      return server;
    },
    drain() {
      lifecycle.drain();
      door.hearAll();
    },
    stopListening() {
      for (const { stop } of listeners) stop();
      room.closeIdle();
    },
    close() {
      probe.stop();
      room.closeAll();
      for (const server of servers) server.closeAllConnections();
    },
  };
}
