import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { createFixedAnswer } from './fixed-answer.ts';

type ClientError = Error & { readonly code?: string };
/** The answer that is under way on a socket, as Node's server keeps it. */
type Serving = Socket & { readonly _httpMessage?: ServerResponse | null };

/** Answers, in JSON, those whose request does not arrive, in time or at all, and closes their connection. */
export function createClientErrors(): (error: ClientError, socket: Socket) => void {
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
  const answers: Readonly<Record<string, typeof late>> = {
    ERR_HTTP_REQUEST_TIMEOUT: late,
    HPE_HEADER_OVERFLOW: tooLarge,
  };

  return ({ code = '' }, socket) => {
    const current = (socket as Serving)._httpMessage;
    if (socket.writable && code !== 'ECONNRESET') {
      // What cannot be read follows a request that could be: that one gets its own answer, and it is the last.
      if (current?.req.complete) {
        current.shouldKeepAlive = false;
        return;
      }
      if (!current?.headersSent)
        return void socket.end((answers[code] ?? unreadable).lastBytes, () => socket.destroy());
    }
    socket.destroy();
  };
}
