import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

import { RequestError } from '../../http/errors.ts';

/** How results are written into a stream over HTTP. */
export interface Framing {
  readonly contentType: string;
  /** The first bytes, which go out at once. */
  readonly opening: Buffer;
  /** @param polls made for the stream so far. */
  heartbeat(polls: number): Buffer;
  /** Says that nothing more will ever come; a stream that ends without it may be opened again. */
  readonly complete: Buffer;
  /** The text before and after the JSON of each result. */
  readonly before: Buffer;
  readonly after: Buffer;
}

/** GraphQL over SSE, distinct connections. A heartbeat is a comment: clients throw on events that they do not know. */
const EVENT_STREAM: Framing = {
  contentType: 'text/event-stream; charset=utf-8',
  opening: Buffer.from(':\n\n'),
  heartbeat: (polls) => Buffer.from(`: ${polls} polls\n\n`),
  complete: Buffer.from('event: complete\ndata:\n\n'),
  before: Buffer.from('event: next\ndata: '),
  after: Buffer.from('\n\n'),
};

const PART = '\r\ncontent-type: application/json; charset=utf-8\r\n\r\n';
const DELIMITER = '\r\n--graphql';

/**
 * Apollo's multipart protocol for subscriptions. A parser hands out a part when the next delimiter has come, so that is written
 * right after each part; and bare, so that the last one can become the end.
 */
const MULTIPART: Framing = {
  contentType: 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0',
  opening: Buffer.from('--graphql'),
  heartbeat: () => Buffer.from(`${PART}{}${DELIMITER}`),
  complete: Buffer.from('--\r\n'),
  before: Buffer.from(`${PART}{"payload":`),
  after: Buffer.from(`}${DELIMITER}`),
};

/**
 * Gives the framing that a client of a subscription names; server-sent events where it names both.
 *
 * @throws {RequestError} for a request that no stream can answer.
 */
export function framingFor({ headers }: Pick<FastifyRequest, 'headers'>): Framing {
  const accept = headers.accept?.toLowerCase() ?? '';
  const types = new Negotiator({ headers: { accept } }).mediaTypes();
  if (types.includes('text/event-stream')) return EVENT_STREAM;
  if (types.includes('multipart/mixed') && /;\s*subscriptionspec="?1\.0\b/.test(accept))
    return MULTIPART;
  throw new RequestError(
    406,
    'A subscription is a stream: accept text/event-stream, or multipart/mixed;subscriptionSpec=1.0; nothing was executed.',
  );
}
