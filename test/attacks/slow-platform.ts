import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How long each answer takes, tokens aside. */
const ANSWER_MS = 2_000;

/** Starts a platform that has nothing, and takes two seconds to say so. */
export async function startSlowPlatform() {
  const server = createServer((request, response) => {
    const isToken = request.url?.endsWith('/token') === true;
    const say = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    request.resume();
    if (isToken) say(200, { access_token: 'token', expires_in: 3_600 });
    else setTimeout(() => say(404, {}), ANSWER_MS);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
