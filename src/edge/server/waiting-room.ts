import type { Socket } from 'node:net';

/** Where connections are before a server knows of them: what it makes for each of them costs more than to refuse one. */
export interface WaitingRoom {
  /**
   * Keeps a connection. `hear` is told of each piece that comes over it, and gives whether it stays: where it does not, it
   * has been left to somebody else, by `leave`, before anything else listened to it.
   */
  keep(socket: Socket, hear: (chunk: Buffer, leave: () => void) => boolean): void;
  /** Closes those that were answered and are idle. Those that have said nothing yet may have something on its way. */
  closeIdle(): void;
  /** Closes all that are there, whatever they wait for. */
  closeAll(): void;
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
    keep(socket, hear) {
      const leave = () => {
        waiting.delete(socket);
        idle.delete(socket);
        socket.setTimeout(0);
        socket.off('data', take).off('end', end).off('timeout', tooLong).off('error', fail).off('close', leave);
      };
      const take = (chunk: Buffer) => {
        if (!hear(chunk, leave) || idle.has(socket)) return;
        idle.add(socket);
        socket.setTimeout(idleMs);
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
