import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of one connection may be unanswered. Clients that pipeline send a few ahead, and browsers none. */
const MAX_UNANSWERED = 16;

/**
 * Gives a listener that closes a connection on which too many requests are unanswered. Node parses whatever arrives, and
 * drops a long queue of requests in quadratic time when its client leaves.
 */
export function limitPipelining(listener: RequestListener): RequestListener {
  const unanswered = new WeakMap<Socket, number>();
  const add = (socket: Socket, change: 1 | -1): number => {
    const count = (unanswered.get(socket) ?? 0) + change;
    unanswered.set(socket, count);
    return count;
  };
  return (request, response) => {
    const { socket } = request;
    if (add(socket, 1) > MAX_UNANSWERED) return void socket.destroy();
    response.once('close', () => add(socket, -1));
    listener(request, response);
  };
}
