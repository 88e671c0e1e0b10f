import type { Server } from 'node:http';
import type { Socket } from 'node:net';

import type { WaitingRoom } from '../server/waiting-room.ts';
import { type WireHead, type WireRequest, wholeRequest } from '../server/whole-request.ts';

/** Stands between connections and the server that parses what comes over them. */
export interface Door {
  /** Takes the connections of a server from now on, each until something comes over it that may pass. */
  guard(server: Server): void;
  /** Listens again to every connection that it does not listen to for a while. */
  hearAll(): void;
}

interface DoorOptions {
  readonly room: WaitingRoom;
  /** Whether everything may pass unseen. */
  readonly isOpen: () => boolean;
  /** Whether all that came on a connection so far has been answered, and something has. */
  readonly isIdle: (socket: Socket) => boolean;
  readonly callerOf: (request: WireRequest) => string;
  /** Whether a request may pass. */
  readonly mayPass: (request: WireRequest) => boolean;
  /** Whether a caller takes from others. */
  readonly isGreedy: (caller: string) => boolean;
  /**
   * How long a connection is not listened to after a request of such a caller, in milliseconds. It is told to come again in a
   * second; to say so again and again at once would cost the others all the time there is.
   */
  readonly deafMs: number;
  /** What one that may not is told. */
  readonly refusal: Buffer;
}

type Feed = (chunk: Buffer) => void;
type Serve = (socket: Socket) => void;

/** The longest request whose head is remembered, to know it again. Every connection may hold one. */
const REMEMBERED_MAX_BYTES = 2_048;

/**
 * Makes the door at which a gateway with no room left turns requests away before they are parsed, and new connections
 * before there is a parser: that costs a tenth of what a parsed one does, and many come when there is too much to do
 * already. Only what is beyond doubt is turned away here, one whole request on a connection where nothing else is under
 * way; all else goes on to the parser.
 */
export function createDoor(options: DoorOptions): Door {
  const { room, isOpen, isIdle, callerOf, mayPass, isGreedy, deafMs, refusal } = options;
  const deaf = new Map<Socket, NodeJS.Timeout>();

  const hear = (socket: Socket) => {
    clearTimeout(deaf.get(socket));
    deaf.delete(socket);
    socket.resume();
  };
  const refuse = (socket: Socket, isForAWhile: boolean) => {
    // Who reads no answers but goes on to ask wants none.
    if (socket.writableNeedDrain) return void socket.destroy();
    socket.write(refusal);
    if (!isForAWhile) return;
    socket.pause();
    deaf.set(socket, setTimeout(() => hear(socket), deafMs).unref());
  };

  /** Makes what turns requests away on one connection where it must, and gives whether it did. */
  const createGuard = (socket: Socket) => {
    const read = createReader();
    let latest: string | undefined;
    let isShared = false;
    return (chunk: Buffer, isFree: () => boolean): boolean => {
      const request = read(chunk);
      if (request === undefined || isOpen()) return false;
      const caller = callerOf(request);
      // What stands in between lets many callers share a connection: none of them is to wait for another.
      isShared ||= latest !== undefined && latest !== caller;
      latest = caller;
      if (mayPass(request) || !isFree()) return false;
      refuse(socket, !isShared && isGreedy(caller));
      return true;
    };
  };
  type Guard = ReturnType<typeof createGuard>;

  /** Stands before the parser of a connection that a server has taken, and gives it what came last. */
  const letIn = (socket: Socket, chunk: Buffer, turnsAway: Guard) => {
    // The server has one listener for what arrives. From now on it hears what the door lets through.
    const [parse] = socket.listeners('data') as Feed[];
    if (parse === undefined) return;
    socket.off('data', parse);
    socket.on('data', (next: Buffer) => {
      if (!turnsAway(next, () => isIdle(socket))) parse.call(socket, next);
    });
    parse.call(socket, chunk);
  };

  return {
    guard(server) {
      // The same holds for what connects.
      const [serve] = server.listeners('connection') as Serve[];
      if (serve === undefined) return;
      server.off('connection', serve);
      server.on('connection', (socket: Socket) => {
        const turnsAway = createGuard(socket);
        room.keep(socket, {
          stays: (chunk) => turnsAway(chunk, () => true),
          goOn(chunk) {
            serve.call(server, socket);
            letIn(socket, chunk, turnsAway);
          },
        });
      });
    },
    hearAll() {
      for (const socket of [...deaf.keys()]) hear(socket);
    },
  };
}

/** Makes what reads the requests of one connection, as long as each of them comes whole. */
function createReader(): (chunk: Buffer) => WireRequest | undefined {
  let isBetweenRequests = true;
  let last: WireHead | undefined;
  return (chunk) => {
    const request = isBetweenRequests ? wholeRequest(chunk, last) : undefined;
    // Where a request does not end with the piece that brought it, nobody but the parser knows where the next begins.
    if (request === undefined) isBetweenRequests = false;
    if (chunk.length <= REMEMBERED_MAX_BYTES) last = request?.head;
    return request;
  };
}
