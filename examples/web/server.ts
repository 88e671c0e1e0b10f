import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';

import type { Bundle } from './bundle.ts';

/** What pages may load: what comes from here, and nothing that is written into them. */
const HEADERS = {
  'content-security-policy': "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
};

/**
 * Serves the page, and passes on to the gateway what it asks, as a balancer does in production: page and gateway are of one
 * origin, so the session's cookie is bound to it, and no other page can use it.
 */
export function createPageServer(bundle: Bundle, gatewayUrl: string): Server {
  return createServer((incoming, outgoing) => {
    const { pathname } = new URL(incoming.url ?? '/', 'http://page');
    if (pathname === '/graphql') return passOn(incoming, outgoing, gatewayUrl);
    const file = bundle.get(pathname);
    if (file === undefined) return outgoing.writeHead(404).end();
    return outgoing.writeHead(200, { ...HEADERS, 'content-type': `${file.type}; charset=utf-8` }).end(file.content);
  });
}

function passOn(incoming: IncomingMessage, outgoing: ServerResponse, gatewayUrl: string): void {
  const { method, headers, url = '/' } = incoming;
  const passed = request(new URL(url, gatewayUrl), { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  passed.on('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()));
  outgoing.on('close', () => passed.destroy());
  incoming.pipe(passed);
}
