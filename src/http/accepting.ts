import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** How many sockets listen on the port. Node accepts one connection of each in a turn of the event loop. */
const SOCKETS = 64;
/**
 * How many connections the system holds for each socket until they are accepted. A longer queue fills with connections of
 * clients who have given up.
 */
const BACKLOG = 16;
/** The same where only one socket can listen; the system may allow less. */
const BACKLOG_OF_ONE = 4_096;
const SHARED = { backlog: BACKLOG, reusePort: true };

interface Address {
  /** 0 stands for any that is free. */
  readonly port: number;
  readonly host: string;
}

/** The sockets that listen for a server. */
export interface ListeningSockets {
  /** Resolves to the address, without a path. */
  listen(address: Address): Promise<string>;
  /** Closes one of them, and gives whether others listen still. The system resets the connections that it has not accepted. */
  closeOne(): boolean;
}

/**
 * Makes a server accept connections on many sockets, among which Linux distributes them (`SO_REUSEPORT`). Other systems have
 * one socket.
 */
export function createListeningSockets(app: FastifyInstance): ListeningSockets {
  const others: Server[] = [];

  const listenOnOthers = async ({ port, address: host }: AddressInfo): Promise<void> => {
    // As Node's HTTP server sets its own sockets.
    const options = { allowHalfOpen: true, noDelay: true };
    while (others.length < SOCKETS - 1) {
      others.push(createServer(options, (socket) => app.server.emit('connection', socket)));
    }
    await Promise.all(others.map((other) => once(other.listen({ ...SHARED, port, host }), 'listening')));
  };

  return {
    async listen(address) {
      if (process.platform !== 'linux') return app.listen({ ...address, backlog: BACKLOG_OF_ONE });
      if (address.port !== 0) await assertFree(address);
      const url = await app.listen({ ...address, ...SHARED });
      await listenOnOthers(app.server.address() as AddressInfo);
      return url;
    },
    closeOne() {
      const socket = others.pop() ?? app.server;
      socket.close();
      return socket !== app.server;
    },
  };
}

/**
 * With `reusePort` two programs of one user could listen on the same port, and each would get a part of the connections.
 *
 * @throws {Error} `EADDRINUSE` when a program listens on the port.
 */
async function assertFree(address: Address): Promise<void> {
  const probe = createServer();
  await once(probe.listen(address), 'listening');
  probe.close();
}

/**
 * Begins the first request of a connection two turns of the event loop after its arrival, unless its client has left by then.
 * Node accepts a connection in one turn, reads its request in the next, and notices in the one after that its client has left.
 */
export function dropAbandoned(listener: RequestListener): RequestListener {
  /** The requests that have arrived on a connection and wait, in order. */
  const waiting = new WeakMap<Socket, 'begun' | (() => void)[]>();

  return (request, response) => {
    const { socket } = request;
    const requests = waiting.get(socket);
    if (requests === 'begun') return listener(request, response);
    const begin = () => listener(request, response);
    if (requests) return void requests.push(begin);
    const arrived = [begin];
    waiting.set(socket, arrived);
    setImmediate(() =>
      setImmediate(() => {
        waiting.set(socket, 'begun');
        if (socket.destroyed || socket.readableEnded) return;
        for (const beginNext of arrived) beginNext();
      }),
    );
  };
}
