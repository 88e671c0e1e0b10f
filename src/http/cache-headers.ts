import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { RequestStats } from '../cache/stats.ts';

/** Which HTTP caches may keep answers: none, the caller's own, or shared ones as well. */
export type CachePolicy = 'off' | 'private' | 'public';

interface Answered {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly policy: CachePolicy;
  /** What the answer was read from. */
  readonly stats: RequestStats;
}

/** Request headers that change an answer, besides credentials. A cache that keeps it by its address alone must know. */
const VARIES_BY = 'Accept, X-Api-Key, X-Caseway-Explain';
/** Errors are written first, so that an answer that begins like this has none. */
const WITHOUT_ERRORS = '{"data":{';

/**
 * Sets the cache headers of an answer. That of a GET may be kept for as long as the gateway itself would not ask again, and
 * after that be revalidated by its ETag, which a matching `If-None-Match` answers by 304. An answer with errors,
 * explanations or stale data, by POST or with a new session is not kept.
 *
 * @returns the body to send; `undefined` where the 304 was sent. It has no content type, since caches would put it in place
 *   of the one that they keep.
 */
export function withCacheHeaders<T extends string | Buffer>(
  body: T,
  { request, reply, policy, stats }: Answered,
): T | undefined {
  const { method, headers } = request;
  if (policy === 'off' || method !== 'GET' || reply.statusCode !== 200 || reply.hasHeader('set-cookie')) return body;
  const isWhole = body.indexOf(WITHOUT_ERRORS) === 0 && stats.stale.length === 0;
  if (!isWhole || 'x-caseway-explain' in headers) return body;

  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  const freshForSeconds = Math.floor(stats.maxAgeMs() / 1_000);
  reply.header('cache-control', `${policy}, ${freshForSeconds > 0 ? `max-age=${freshForSeconds}` : 'no-cache'}`);
  reply.header('vary', `${reply.getHeader('vary')}, ${VARIES_BY}`);
  reply.header('etag', etag);
  if (!matches(etag, headers['if-none-match'])) return body;
  reply.code(304).removeHeader('content-type').removeHeader('content-length').send();
  return undefined;
}

/** Whether a client has a body with this ETag; a cache on the way may have made it weak. */
const matches = (etag: string, given: string | undefined): boolean =>
  given?.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag) ?? false;
