import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

import { RequestError } from '../../http/errors.ts';

/** The format of results in a stream over HTTP. */
export interface Framing {
  readonly contentType: string;
  /** The first bytes, sent immediately. */
  readonly opening: Buffer;
  /**
   * Returns the bytes that keep the connection open.
   *
   * @param polls the number of polls for the stream so far.
   */
  heartbeat(polls: number): Buffer;
  /**
   * The end of a subscription that has no further results. A client may reopen a stream that ends
   * without it.
   */
  readonly complete: Buffer;
  /** The text before and after the JSON of each result. */
  readonly before: Buffer;
  readonly after: Buffer;
}

/**
 * GraphQL over SSE, distinct connections mode. A heartbeat is a comment, because clients throw on
 * unknown events.
 */
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
 * Apollo's multipart protocol for subscriptions. A parser returns a part only after the next
 * delimiter, so each part ends with its delimiter. No line break follows the delimiter, so that
 * `--` can still turn it into the final one.
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
 * Returns the framing that the client accepts. Server-sent events are preferred.
 *
 * @throws {RequestError} 406 if the client accepts neither.
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
