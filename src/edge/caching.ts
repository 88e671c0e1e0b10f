import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Who may keep answers: nobody, the caller's own cache, or also one that many callers share. */
export type Keeping = 'off' | 'private' | 'public';

interface Kept {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly keeping: Keeping;
}

/** What an answer differs by, besides who asks. A cache that keeps it by its address alone must know. */
const VARIES_BY = 'Accept, X-Api-Key, X-Caseway-Explain';
/** The server writes errors first, so that an answer that begins like this has none. */
const WITHOUT_ERRORS = '{"data":{';

/**
 * Lets a cache keep the answer of a GET, to be asked for again by its hash: who has it already is told 304, without it. What
 * has errors or explanations is kept by nobody, and neither is what came by POST or signs somebody in.
 *
 * @returns the body to send.
 */
export function offerToCaches(text: string, { request, reply, keeping }: Kept): string {
  const { method, headers } = request;
  const isWhole = reply.statusCode === 200 && text.startsWith(WITHOUT_ERRORS) && !('x-caseway-explain' in headers);
  if (keeping === 'off' || method !== 'GET' || !isWhole || reply.hasHeader('set-cookie')) return text;

  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
  reply.header('cache-control', `${keeping}, no-cache`);
  reply.header('vary', `${reply.getHeader('vary')}, ${VARIES_BY}`);
  reply.header('etag', etag);
  if (!isKnown(etag, headers['if-none-match'])) return text;
  reply.code(304).removeHeader('content-type').removeHeader('content-length');
  return '';
}

/** Whether a client has a body of this hash already, as its `If-None-Match` says; a cache on the way may have made it weak. */
const isKnown = (etag: string, given: string | undefined): boolean =>
  given?.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag) ?? false;
