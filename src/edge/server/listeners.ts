import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/** All that listens for one HTTP server. */
export interface Listeners {
  /** Stops to listen, besides what the HTTP server does itself; what is connected stays. */
  stop(): void;
}

interface Where {
  readonly port: number;
  readonly host: string;
}

interface ListenersOptions {
  /** How many connections are open at most; more are closed at once. */
  readonly maxConnections: number;
}

/**
 * How many sockets listen at an address. Node takes one connection from each when its event loop goes round, so that one
 * alone lets hundreds wait outside as soon as a round has work to do.
 */
const LISTENERS = 32;
/** How many connections may wait outside for each; the system may allow less. */
const BACKLOG = 4_096;
/** Only here the system shares what comes between sockets that listen at one address. */
const CAN_SHARE = process.platform === 'linux';

/**
 * Gives how a server must listen so that others may listen beside it.
 *
 * @throws when somebody else listens there already; the system would let both, and share what comes between them.
 */
export async function shared(where: Where): Promise<Where & { readonly backlog: number; readonly reusePort: boolean }> {
  if (CAN_SHARE && where.port !== 0) {
    const probe = createServer().listen(where);
    await once(probe, 'listening');
    probe.close();
    await once(probe, 'close');
  }
  return { ...where, backlog: BACKLOG, reusePort: CAN_SHARE };
}

/** Lets more sockets listen wherever an HTTP server does, and hands it what they take. */
export function addListeners(server: Server, { maxConnections }: ListenersOptions): Listeners {
  const others: Server[] = [];
  let connected = 0;

  const count = (socket: Socket) => {
    connected++;
    socket.once('close', () => {
      connected--;
    });
    if (connected > maxConnections) socket.destroy();
  };
  const open = ({ address: host, port }: { address: string; port: number }) => {
    const other = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => server.emit('connection', socket));
    // It listens for the other's sake: that it cannot leaves the other as it was.
    other.on('error', () => others.splice(others.indexOf(other), 1));
    other.listen({ host, port, backlog: BACKLOG, reusePort: true });
    others.push(other);
  };

  server.on('connection', count);
  server.on('listening', () => {
    const address = server.address();
    if (!CAN_SHARE || address === null || typeof address === 'string') return;
    for (let listener = 1; listener < LISTENERS; listener++) open(address);
  });
  return {
    stop() {
      for (const other of others.splice(0)) other.close();
    },
  };
}
