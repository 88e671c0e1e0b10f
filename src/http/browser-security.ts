import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import { fastifyCookie } from '@fastify/cookie';
import { fastifyCors } from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';

import { RequestError } from './errors.ts';
import { HEALTH_PATHS } from './overload.ts';

/** What the gateway takes from browsers, and as which host. */
export interface BrowserOptions {
  /** Origins whose pages may send requests. */
  readonly corsOrigins: readonly string[];
  /** The hosts that requests may name; `undefined`: any, where the gateway does not listen on loopback. */
  readonly hosts: readonly string[] | undefined;
  /** The address that the gateway listens on. */
  readonly listenHost: string;
}

/** The values of `Sec-Fetch-Site` of a request that the gateway's own page, or the person, made. */
const OWN_SITES: readonly unknown[] = [undefined, 'same-origin', 'none'];
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;

/**
 * Takes requests of browsers for the gateway's own pages and those of the listed origins, and refuses others: they get no
 * CORS headers. Also refuses requests for another host, and those that two servers in a row could read differently.
 */
export async function registerBrowserSecurity(app: FastifyInstance, options: BrowserOptions): Promise<void> {
  const { corsOrigins } = options;
  const isServedHost = matchHosts(options);

  app.addHook('onRequest', (request, _reply, done) => {
    checkHead(request.raw);
    if (!isServedHost(request.headers.host) && !HEALTH_PATHS.includes(request.url)) {
      throw new RequestError(421, 'This gateway does not serve the host of the request; HOSTS lists those it does.');
    }
    done();
  });
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
    // A page that a link elsewhere opens is opened by the person; requests to the graph are made by the page.
    if (isForGraph(request) && request.method !== 'OPTIONS') checkOrigin(request.raw, corsOrigins);
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
function checkOrigin({ headers }: IncomingMessage, corsOrigins: readonly string[]): void {
  const { host, origin, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && corsOrigins.includes(origin)) return;
  const isSameHost = origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
  if (!OWN_SITES.includes(site) || (site === undefined && !isSameHost)) {
    throw new RequestError(403, 'Pages of other sites may not ask this gateway.');
  }
}

/** @throws {RequestError} 400 for no host or two, 415 for a body in an encoding or a charset other than plain UTF-8. */
function checkHead({ headers, rawHeaders, httpVersion }: IncomingMessage): void {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === 'host') hosts++;
  }
  if (hosts === 0 && httpVersion === '1.1') throw new RequestError(400, 'The request names no host.');
  if (hosts > 1) throw new RequestError(400, 'The request names two hosts.');

  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new RequestError(415, 'Send the request body as it is, without a content encoding.');
  }
  const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8') {
    throw new RequestError(415, 'Send the request body in UTF-8.');
  }
}

/**
 * Makes the check of `Host`. A page whose name was rebound to a loopback address names itself there: a gateway on loopback
 * takes loopback's names alone, besides those that are listed.
 */
function matchHosts({ hosts, listenHost }: BrowserOptions): (host: string | undefined) => boolean {
  const isOnLoopback = isLoopback(listenHost);
  if (hosts === undefined && !isOnLoopback) return () => true;
  const listed = new Set(hosts?.map((host) => host.toLowerCase()));
  return (host = '') => {
    const name = host.toLowerCase();
    const withoutPort = name.replace(/:\d*$/, '');
    return listed.has(name) || listed.has(withoutPort) || (isOnLoopback && isLoopback(withoutPort));
  };
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' ||
  host.endsWith('.localhost') ||
  host === '[::1]' ||
  host === '::1' ||
  (host.startsWith('127.') && isIPv4(host));
