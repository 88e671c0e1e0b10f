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

/** The id of the last event, which an `EventSource` sends when it opens the stream again. */
const COMPLETE_ID = 'complete';

/**
 * The same for a browser's `EventSource`, which opens a stream again whenever it ends. Ids show
 * whether it ended by `complete`.
 */
const EVENT_SOURCE: Framing = {
  ...EVENT_STREAM,
  complete: Buffer.from(`event: complete\nid: ${COMPLETE_ID}\ndata:\n\n`),
  before: Buffer.from('event: next\nid: next\ndata: '),
};

/** Whether an `EventSource` opens a stream again that has ended by `complete`. A 204 makes it stop. */
export const isAfterComplete = ({ method, headers }: FastifyRequest): boolean =>
  method === 'GET' && headers['last-event-id'] === COMPLETE_ID;

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
export function framingFor({
  method,
  headers,
}: Pick<FastifyRequest, 'method' | 'headers'>): Framing {
  const accept = headers.accept?.toLowerCase() ?? '';
  const types = new Negotiator({ headers: { accept } }).mediaTypes();
  if (types.includes('text/event-stream')) return method === 'GET' ? EVENT_SOURCE : EVENT_STREAM;
  if (types.includes('multipart/mixed') && /;\s*subscriptionspec="?1\.0\b/.test(accept))
    return MULTIPART;
  throw new RequestError(
    406,
    'A subscription is a stream: accept text/event-stream, or multipart/mixed;subscriptionSpec=1.0; nothing was executed.',
  );
}
