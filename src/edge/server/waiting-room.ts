import type { Socket } from 'node:net';

/** Where connections are before a server knows of them: what it makes for each of them costs more than to refuse one. */
export interface WaitingRoom {
  /** Keeps a connection until something comes over it with which it does not stay. */
  keep(socket: Socket, guest: Guest): void;
  /** Closes those that were answered and are idle. Those that have said nothing yet may have something on its way. */
  closeIdle(): void;
  /** Closes all that are there, whatever they wait for. */
  closeAll(): void;
}

interface Guest {
  /** Told of each piece that comes, gives whether the connection stays, since the piece was answered. */
  readonly stays: (chunk: Buffer) => boolean;
  /** Told of the piece with which it does not, once nobody here listens to the connection any more. */
  readonly goOn: (chunk: Buffer) => void;
}

interface WaitingRoomOptions {
  /** How long a connection may say nothing at all, in milliseconds. */
  readonly silentMs: number;
  /** How long one may be idle that was answered here, in milliseconds. */
  readonly idleMs: number;
}

/** @param tellSilent ends a connection that has said nothing. */
export function createWaitingRoom(
  { silentMs, idleMs }: WaitingRoomOptions,
  tellSilent: (socket: Socket) => void,
): WaitingRoom {
  const waiting = new Set<Socket>();
  const idle = new Set<Socket>();

  return {
    keep(socket, { stays, goOn }) {
      const leave = () => {
        waiting.delete(socket);
        idle.delete(socket);
        socket.setTimeout(0);
        socket.off('data', take).off('end', end).off('timeout', tooLong).off('error', fail).off('close', leave);
      };
      const take = (chunk: Buffer) => {
        if (!stays(chunk)) {
          leave();
          goOn(chunk);
        } else if (!idle.has(socket)) {
          idle.add(socket);
          socket.setTimeout(idleMs);
        }
      };
      const tooLong = () => {
        if (idle.has(socket)) socket.destroy();
        else tellSilent(socket);
      };
      const end = () => void socket.end();
      const fail = () => void socket.destroy();

      waiting.add(socket);
      socket.setTimeout(silentMs);
      socket.on('data', take).on('end', end).on('timeout', tooLong).on('error', fail).on('close', leave);
    },
    closeIdle() {
      for (const socket of idle) socket.destroySoon();
    },
    closeAll() {
      for (const socket of waiting) socket.destroy();
    },
  };
}
