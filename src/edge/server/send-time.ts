import type { RequestListener } from 'node:http';

/**
 * Bounds how long a client may take to read an answer, however little by little it does: who takes longer is not waited
 * for, and its connection is closed.
 */
export function withinSendTime(serve: RequestListener, sendTimeoutMs: number): RequestListener {
  return (request, response) => {
    response.once('prefinish', () => {
      // All of the answer is there. Most are taken at once, and cost no timer.
      const { socket } = response;
      if (!socket?.writableLength) return;
      const timer = setTimeout(() => socket.destroy(), sendTimeoutMs);
      response.once('close', () => clearTimeout(timer));
    });
    serve(request, response);
  };
}
