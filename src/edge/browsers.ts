import type { IncomingHttpHeaders } from 'node:http';
import { fastifyCookie } from '@fastify/cookie';
import { fastifyCors } from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';

import { RequestError } from './request-error.ts';

/** What a browser says of a request that the gateway's own page, or the person, made. */
const OWN_SITES: readonly unknown[] = [undefined, 'same-origin', 'none'];

/**
 * Lets browsers ask for the gateway's own pages and for those of the listed origins, and for no others: they get no
 * CORS headers, and are refused.
 */
export async function registerBrowsers(app: FastifyInstance, corsOrigins: readonly string[]): Promise<void> {
  await app.register(fastifyCookie);
  if (corsOrigins.length > 0) {
    await app.register(fastifyCors, {
      origin: [...corsOrigins],
      credentials: true,
      methods: ['GET', 'POST'],
      allowedHeaders: ['authorization', 'content-type', 'if-none-match', 'x-api-key', 'x-caseway-explain', 'x-csrf'],
      exposedHeaders: ['etag', 'x-request-id', 'retry-after'],
      maxAge: 600,
    });
  }
  app.addHook('onRequest', (request, _reply, done) => {
    // A page that is opened by a link from elsewhere is opened by the person; what it then asks is asked by itself.
    if (isForGraph(request) && request.method !== 'OPTIONS') checkOrigin(request.headers, corsOrigins);
    done();
  });
}

/** The router knows an address in whatever way it is written, as in `/%67raphql`; most are written plainly. */
const isForGraph = (request: FastifyRequest): boolean =>
  request.url.startsWith('/graphql') || request.routeOptions.url === '/graphql';

/**
 * Refuses what a browser asks for a page of another site. Fetch metadata tells, also of a plain GET; what sends none is
 * no browser, or too old for it and then still says its `Origin` with a POST.
 *
 * @throws {RequestError} 403.
 */
function checkOrigin(
  { host, origin, 'sec-fetch-site': site }: IncomingHttpHeaders,
  corsOrigins: readonly string[],
): void {
  if (origin !== undefined && corsOrigins.includes(origin)) return;
  const isSameHost = origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
  if (!OWN_SITES.includes(site) || (site === undefined && !isSameHost)) {
    throw new RequestError(403, 'Pages of other sites may not ask this gateway.');
  }
}
