import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import { listen } from '../../support/listen.ts';

/** A line between a device and the gateway. */
export interface Line {
  readonly url: string;
  /** The statuses of the answers that came through, or would have. */
  readonly statuses: number[];
  /** While it is set, requests arrive and their answers do not. */
  losesAnswers: boolean;
  /** The same for mutations alone. */
  losesMutations: boolean;
  /** While it is set, a proxy responds that there is no gateway. */
  isDown: boolean;
}

/** Lays a line to a gateway, which ends with the test. */
export async function layLine(target: string): Promise<Line> {
  const statuses: number[] = [];
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = 'GET', headers, url } = request;
    const chunks = await request.toArray();
    if (line.isDown) return response.writeHead(503).end(UNAVAILABLE);
    const { host: _, connection: __, 'content-length': ___, ...sent } = headers;
    const body = method === 'GET' ? null : Buffer.concat(chunks);
    const answer = await fetch(`${target}${url}`, {
      method,
      headers: sent as Record<string, string>,
      body,
    });
    const text = await answer.text();
    statuses.push(answer.status);
    if (line.losesAnswers || (line.losesMutations && method === 'POST'))
      return request.socket.destroy();
    const etag = answer.headers.get('etag');
    return response
      .writeHead(answer.status, etag ? { etag } : {})
      .end(answer.status === 304 ? undefined : text);
  };
  const server = createServer((request, response) => {
    // The gateway may end before its answer.
    pass(request, response).catch(() => request.socket.destroy());
  });
  const line: Line = {
    url: await listen(server),
    statuses,
    losesAnswers: false,
    losesMutations: false,
    isDown: false,
  };
  return line;
}

const UNAVAILABLE = JSON.stringify({
  errors: [{ message: 'Down.', extensions: { code: 'GATEWAY_UNAVAILABLE', retryable: true } }],
});
