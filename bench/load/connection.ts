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

/** Opens a connection. `onClosed` hears when it can carry nothing more. */
export function openConnection(port: number, onClosed: () => void): Connection {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const reader = createAnswerReader();
  let waiting: ((end: End) => void) | undefined;
  let isConnected = false;
  let isClosed = false;

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
  socket.on('data', (chunk) => {
    const answer = reader.read(chunk);
    if (answer === undefined) return;
    if (answer.isLast) {
      isClosed = true;
      onClosed();
      socket.destroy();
    }
    settle(answer);
  });
  socket.on('error', closed);
  socket.on('end', closed);
  socket.on('close', closed);

  return {
    send(request, onEnd) {
      waiting = onEnd;
      if (isClosed) settle('reset');
      else socket.write(request);
    },
    close() {
      closed();
      socket.destroy();
    },
  };
}
