import { connect } from 'node:net';

import { type Answer, createAnswerReader } from './answer-reader.ts';

/** Why there is no answer. */
export type Failure = 'reset' | 'unreachable';

/** How a request ended: by a whole answer, whatever its status, or by none. */
export type End = Answer | Failure;

/** A kept-alive connection that carries one request at a time. */
export interface Connection {
  /** Sends one request; `onEnd` hears of its answer, or of its failure, once. */
  send(request: string, onEnd: (end: End) => void): void;
  close(): void;
}

/** Makes room for what arrives at a time. */
export const createBuffer = (): Buffer => Buffer.allocUnsafe(65_536);

/**
 * Opens a connection. `onClosed` hears when it can carry nothing more. What arrives is put into `buffer` first, which many
 * connections may share.
 */
export function openConnection(port: number, onClosed: () => void, buffer = createBuffer()): Connection {
  const reader = createAnswerReader();
  let waiting: ((end: End) => void) | undefined;
  let isConnected = false;
  let isClosed = false;

  const take = (bytes: number) => {
    const answer = reader.read(buffer.subarray(0, bytes));
    if (answer?.isLast) {
      isClosed = true;
      onClosed();
      socket.destroy();
    }
    if (answer !== undefined) settle(answer);
    return true;
  };
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback: take } });

  const settle = (end: End) => {
    const onEnd = waiting;
    waiting = undefined;
    onEnd?.(end);
  };
  const closed = () => {
    if (isClosed) return;
    isClosed = true;
    onClosed();
    settle(isConnected ? 'reset' : 'unreachable');
  };

  socket.on('connect', () => {
    isConnected = true;
  });
  socket.on('error', closed);
  socket.on('end', closed);
  socket.on('close', closed);

  return {
    send(request, onEnd) {
      waiting = onEnd;
      if (isClosed) settle('reset');
      else socket.write(request, 'latin1');
    },
    close() {
      closed();
      socket.destroy();
    },
  };
}
