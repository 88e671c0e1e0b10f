import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Line {
  readonly serve: RequestListener;
  isServing: boolean;
  served: number;
  readonly waiting: (readonly [IncomingMessage, ServerResponse])[];
}

/** Whose turn it is on each connection. */
export interface Turns {
  /**
   * Serves the requests of one connection one after the other, however many a client sends ahead, so that no connection
   * gets more than one share of the work. The last that a connection may carry ends it.
   */
  oneAtATime(serve: RequestListener): RequestListener;
  /** Whether a connection has carried a request, and everything that it carried has been answered. */
  isIdle(socket: Socket): boolean;
}

/** @param maxRequests how many requests a connection may carry. */
export function createTurns(maxRequests: number): Turns {
  const lines = new WeakMap<Socket, Line>();

  const begin = (line: Line, request: IncomingMessage, response: ServerResponse) => {
    line.isServing = true;
    line.served++;
    // Node's own limit says so as well, but leaves the connection open.
    if (line.served >= maxRequests) response.shouldKeepAlive = false;
    response.once('close', () => {
      line.isServing = false;
      const next = request.socket.destroyed ? undefined : line.waiting.shift();
      if (next) begin(line, ...next);
    });
    line.serve(request, response);
  };

  return {
    oneAtATime: (serve) => (request, response) => {
      const line = lines.get(request.socket) ?? { serve, isServing: false, served: 0, waiting: [] };
      lines.set(request.socket, line);
      if (!line.isServing) return begin(line, request, response);
      line.waiting.push([request, response]);
    },
    isIdle(socket) {
      const line = lines.get(socket);
      return line !== undefined && !line.isServing && line.waiting.length === 0;
    },
  };
}
