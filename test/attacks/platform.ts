import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The time of each response of a slow platform, except for tokens. */
const ANSWER_MS = 2_000;

/** Starts a platform that issues a token to any caller. `answer` has all other responses. */
export async function startPlatform(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
) {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    if (request.url?.endsWith('/token')) response.end('{"access_token":"token","expires_in":3600}');
    else answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => void server.close().closeAllConnections();
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

/** Starts a platform without data that responds after two seconds. */
export const startSlowPlatform = () =>
  startPlatform((_request, response) => {
    setTimeout(() => response.writeHead(404).end('{}'), ANSWER_MS);
  });
