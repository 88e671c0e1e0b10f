import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { createFixedAnswer, type FixedAnswer } from './fixed-answer.ts';

type ClientError = Error & { readonly code?: string };
/** The answer that is under way on a socket, as Node's server keeps it. */
type Serving = Socket & { readonly _httpMessage?: ServerResponse | null };

/** Answers, in JSON, those whose request does not arrive, in time or at all, and closes their connection. */
export interface ClientErrors {
  /** For what an HTTP server says of a connection. */
  answer(error: ClientError, socket: Socket): void;
  /** For a connection on which nothing came in time. */
  answerLate(socket: Socket): void;
}

export function createClientErrors(): ClientErrors {
  const late = createFixedAnswer({
    status: 408,
    code: 'REQUEST_TIMEOUT',
    message: 'The request did not arrive in time.',
    retryable: true,
  });
  const tooLarge = createFixedAnswer({
    status: 431,
    code: 'BAD_USER_INPUT',
    message: 'The head of the request is too large.',
    retryable: false,
  });
  const unreadable = createFixedAnswer({
    status: 400,
    code: 'BAD_USER_INPUT',
    message: 'The request cannot be read.',
    retryable: false,
  });
  const answers: Readonly<Record<string, FixedAnswer>> = {
    ERR_HTTP_REQUEST_TIMEOUT: late,
    HPE_HEADER_OVERFLOW: tooLarge,
  };

  const end = (socket: Socket, { lastBytes }: FixedAnswer) => void socket.end(lastBytes, () => socket.destroy());

  return {
    answerLate: (socket) => end(socket, late),
    answer({ code = '' }, socket) {
      const current = (socket as Serving)._httpMessage;
      if (socket.writable && code !== 'ECONNRESET') {
        // What cannot be read follows a request that could be: that one gets its own answer, and it is the last.
        if (current?.req.complete) {
          current.shouldKeepAlive = false;
          return;
        }
        if (!current?.headersSent) return end(socket, answers[code] ?? unreadable);
      }
      socket.destroy();
    },
  };
}
