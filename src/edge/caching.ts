import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { RequestStats } from '../cache/stats.ts';

/** Who may keep answers: nobody, the caller's own cache, or also one that many callers share. */
export type Keeping = 'off' | 'private' | 'public';

interface Kept {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly keeping: Keeping;
  /** What the answer rests on. */
  readonly meter: RequestStats;
}

/** What an answer differs by, besides who asks. A cache that keeps it by its address alone must know. */
const VARIES_BY = 'Accept, X-Api-Key, X-Caseway-Explain';
/** The server writes errors first, so that an answer that begins like this has none. */
const WITHOUT_ERRORS = '{"data":{';

/**
 * Lets a cache keep the answer of a GET: for as long as the gateway itself would not ask again, and beyond that to be asked
 * for by its hash, so that who has it already is told 304. Nobody keeps what has errors or explanations or may be out of
 * date, what came by POST, or what signs somebody in.
 *
 * @returns the body to send; `undefined` where the answer was given without one. Then nothing is said of a type either, since
 *   caches would put it in place of the one that they keep.
 */
export function offerToCaches<T extends string | Buffer>(
  body: T,
  { request, reply, keeping, meter }: Kept,
): T | undefined {
  const { method, headers } = request;
  if (keeping === 'off' || method !== 'GET' || reply.statusCode !== 200 || reply.hasHeader('set-cookie')) return body;
  const isWhole = body.indexOf(WITHOUT_ERRORS) === 0 && meter.stale.length === 0;
  if (!isWhole || 'x-caseway-explain' in headers) return body;

  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  const freshForSeconds = Math.floor(meter.maxAgeMs() / 1_000);
  reply.header('cache-control', `${keeping}, ${freshForSeconds > 0 ? `max-age=${freshForSeconds}` : 'no-cache'}`);
  reply.header('vary', `${reply.getHeader('vary')}, ${VARIES_BY}`);
  reply.header('etag', etag);
  if (!isKnown(etag, headers['if-none-match'])) return body;
  reply.code(304).removeHeader('content-type').removeHeader('content-length').send();
  return undefined;
}

/** Whether a client has a body of this hash already, as its `If-None-Match` says; a cache on the way may have made it weak. */
const isKnown = (etag: string, given: string | undefined): boolean =>
  given?.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag) ?? false;
