import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import { fastifyCookie } from '@fastify/cookie';
import { fastifyCors } from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import type { Config } from '../config/config.ts';
import type { Log } from '../core/log.ts';
import { RequestError } from './errors.ts';
import { HEALTH_PATHS } from './health.ts';

/** The accepted origins and hosts. */
interface BrowserOptions extends Pick<Config, 'settings' | 'corsOrigins'> {
  /**
   * Whether the playground is served. A browser that opens the API's URL is then redirected to it.
   */
  readonly isExplorable: boolean;
  readonly log: Log;
}

/**
 * The `Sec-Fetch-Site` values of requests from the gateway's own page, or directly from the user.
 */
const OWN_SITES: readonly unknown[] = [undefined, 'same-origin', 'none'];
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;

/**
 * Accepts browser requests from the gateway's own pages and from allowed origins, and refuses all
 * others. Refused pages get no CORS headers, and the log has each origin once. A browser that opens
 * the API's URL is redirected to the playground. Also refuses requests for another host if
 * development listens on loopback, and requests with two `Host` headers, because two servers may
 * read them differently.
 */
export async function registerBrowserSecurity(
  app: FastifyInstance,
  options: BrowserOptions,
): Promise<void> {
  const { settings, corsOrigins } = options;
  const isProduction = settings.NODE_ENV === 'production';
  // Protects against DNS rebinding: the `Host` header then has the attacker's name. In production a
  // proxy calls loopback.
  const isLoopbackOnly = !isProduction && isLoopback(settings.HOST);
  // Pages on this machine are also allowed, for example from development servers.
  const isAllowedOrigin = (origin: string | undefined): boolean =>
    origin !== undefined &&
    (corsOrigins.includes(origin) || (!isProduction && isLoopbackOrigin(origin)));
  const logRefused = logEachOnce(options.log);

  app.addHook('onRequest', (request, _reply, done) => {
    const { raw, url, headers } = request;
    checkHead(raw);
    if (isLoopbackOnly && !namesLoopback(headers.host ?? '') && !HEALTH_PATHS.includes(url)) {
      throw new RequestError(
        421,
        'This gateway listens on this machine alone and serves its loopback names; with NODE_ENV=production it serves any host.',
      );
    }
    done();
  });
  await app.register(fastifyCookie);
  if (corsOrigins.length > 0 || !isProduction) {
    // An allowed origin may send any header, because tracing and clients have their own.
    await app.register(fastifyCors, {
      origin: (origin: string | undefined, callback) => callback(null, isAllowedOrigin(origin)),
      credentials: true,
      methods: ['GET', 'POST'],
      exposedHeaders: ['etag', 'x-request-id', 'retry-after', 'caseway-idempotency-keep'],
      maxAge: 600,
    });
  }
  app.addHook('onRequest', (request, reply, done) => {
    if (!isForCallers(request)) return done();
    // The user opens a link from another page. Requests to the graph come from scripts.
    if (isVisit(request)) return answerVisit(reply, options);
    const { origin } = request.headers;
    if (isAllowedOrigin(origin) || isOwn(request.raw)) return done();
    if (origin !== undefined) logRefused(origin);
    // A preflight is refused by a response without CORS headers.
    if (request.method === 'OPTIONS') return done();
    throw new RequestError(403, 'Pages of other sites may not call this gateway.');
  });
}

/**
 * Returns whether a request is for the graph. The router also matches encoded paths such as
 * `/%67raphql`; the first test is a fast path.
 */
const isForGraph = (request: FastifyRequest): boolean =>
  request.url.startsWith('/graphql') || request.routeOptions.url === '/graphql';

const isForCallers = (request: FastifyRequest): boolean =>
  isForGraph(request) || request.routeOptions.config?.isForCallers === true;

/**
 * Returns whether a user opens the API's URL in a browser: the request accepts HTML and has no
 * query.
 */
const isVisit = (request: FastifyRequest): boolean => {
  const { method, url, headers } = request;
  return (
    method === 'GET' &&
    isForGraph(request) &&
    !url.includes('?') &&
    headers.accept?.includes('text/html') === true
  );
};

const VISIT_WITHOUT_PLAYGROUND =
  'This is a GraphQL endpoint, for requests by POST. It shows no page here, since the playground is off; PLAYGROUND=on turns it on.\n';

function answerVisit(reply: FastifyReply, { isExplorable }: BrowserOptions): void {
  // At the same URL, clients without a query get JSON.
  reply.header('vary', 'Accept');
  if (isExplorable) reply.redirect('/playground', 302);
  else reply.code(400).type('text/plain; charset=utf-8').send(VISIT_WITHOUT_PLAYGROUND);
}

/**
 * Returns whether a request comes from the gateway's own page or from no page. Browsers send fetch
 * metadata, also with GET. Without it the client is no browser, or an old one that sends `Origin`
 * with a POST.
 */
function isOwn({ headers: { host, origin, 'sec-fetch-site': site } }: IncomingMessage): boolean {
  const isSameHost =
    origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
  return OWN_SITES.includes(site) && (site !== undefined || isSameHost);
}

/** The highest number of logged origins. Anyone can invent more. */
const MAX_LOGGED_ORIGINS = 100;

function logEachOnce(log: Log): (origin: string) => void {
  const logged = new Set<string>();
  return (given) => {
    // An invalid origin may be any text of any length.
    const origin = URL.canParse(given) ? new URL(given).origin.slice(0, 200) : 'null';
    if (logged.has(origin) || logged.size >= MAX_LOGGED_ORIGINS) return;
    logged.add(origin);
    log.warn(
      { origin },
      'a page of another origin was rejected; add its origin to CORS_ORIGINS to allow it',
    );
  };
}

/**
 * @throws {RequestError} 400 for two hosts, 415 for a body with a content encoding or a charset
 *   other than UTF-8.
 */
function checkHead({ headers, rawHeaders }: IncomingMessage): void {
  // Names and values alternate. Node's `headers` has only the first host.
  const hosts = rawHeaders.filter(
    (name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host',
  );
  if (hosts.length > 1) throw new RequestError(400, 'The request names two hosts.');
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new RequestError(415, 'Send the request body without a content encoding.');
  }
  const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8') {
    throw new RequestError(415, 'Send the request body in UTF-8.');
  }
}

/** Returns whether a `Host` header contains a loopback name. */
export const namesLoopback = (host: string): boolean =>
  isLoopback(host.toLowerCase().replace(/:\d*$/, ''));

const isLoopbackOrigin = (origin: string): boolean =>
  URL.canParse(origin) && isLoopback(new URL(origin).hostname);

export const isLoopback = (host: string): boolean =>
  host === 'localhost' ||
  host.endsWith('.localhost') ||
  host === '[::1]' ||
  host === '::1' ||
  (host.startsWith('127.') && isIPv4(host));
