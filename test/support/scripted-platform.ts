import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

import { listen } from './listen.ts';

/** A request as the platform saw it. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query, still encoded. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A response of the platform. A body that is not a string is sent as JSON. */
export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * Starts a platform with these responses that issues a token to any caller (variant B). `seen`
 * lists all requests except token requests.
 */
export async function scriptPlatform(
  answer: (request: SeenRequest) => ScriptedAnswer | Promise<ScriptedAnswer>,
  tokenOf = () => 'token',
) {
  const seen: SeenRequest[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    const request = { method, url, headers, body: await text(incoming) };
    const isToken = url === '/v1.0/token';
    if (!isToken) seen.push(request);
    const scripted = isToken
      ? { body: { access_token: tokenOf(), expires_in: 3600 } }
      : await answer(request);
    outgoing.writeHead(scripted.status ?? 200, {
      'content-type': 'application/json',
      ...scripted.headers,
    });
    outgoing.end(typeof scripted.body === 'string' ? scripted.body : JSON.stringify(scripted.body));
  });
  const url = await listen(server);
  /** Closes the server and all connections. */
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return {
    seen,
    close,
    env: { UPSTREAM_URL: url, UPSTREAM_USERNAME: 'u', UPSTREAM_PASSWORD: 'p' },
  };
}
