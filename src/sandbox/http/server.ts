import { createServer as createHttpServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';

import type { User } from '../model.ts';
import type { Admission } from './admission.ts';
import { httpDate } from './conditional.ts';
import { answerClientError, noSuchOperation, toApiError } from './framework-errors.ts';
import type { Answer, Incoming, Operation } from './operation.ts';
import { settle } from './settle.ts';
import type { TokenOperation } from './token-operation.ts';

/** What is told of every answer. */
export interface AnsweredCall {
  /** The interface's name of the operation (sic); "unknown" for a path that has none. */
  readonly operation: string;
  readonly method: string;
  readonly url: string;
  readonly status: number;
  /** Who asked, once that is known. */
  readonly user: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: string[];
  /** The cause of a 500, of which the answer itself says nothing. */
  readonly error: unknown;
}

interface ServerOptions {
  readonly operations: readonly Operation[];
  readonly getToken: TokenOperation;
  readonly admission: Admission;
  readonly now: () => number;
  readonly onAnswer: ((call: AnsweredCall) => void) | undefined;
}

/** Answers a request; `admit` is told whose it is. */
type Work = (incoming: Incoming, admit: (user: User) => User) => Answer;

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_SEGMENT_CHARACTERS = 2048;
const HTTP_OPTIONS = { requestTimeout: 30_000, keepAliveTimeout: 72_000, requireHostHeader: false };
const MAX_UNANSWERED = 16;

/** The HTTP front: brings every request to its operation, and every answer and refusal onto the wire. */
export function createServer({ operations, getToken, admission, now, onAnswer }: ServerOptions): FastifyInstance {
  const respond = (operation: string, work: Work) => (request: FastifyRequest, reply: FastifyReply) => {
    const { method, url, headers, raw } = request;
    let user: User | undefined;
    const admit = (known: User) => {
      user = known;
      admission.admit(known);
      return known;
    };

    const { status, text, error, ...answer } = settle(() => work(toIncoming(request), admit), headers);
    reply.code(status).headers({ server: 'caseway-sandbox', date: httpDate(now()), ...answer.headers });
    const { rawHeaders } = raw;
    onAnswer?.({ operation, method, url, status, user: user?.username, headers, rawHeaders, error });
    reply.send(text);
  };
  const refuse = (operation: string) => (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    respond(operation, () => {
      throw toApiError(error);
    })(request, reply);

  const server = fastify({
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { maxParamLength: MAX_SEGMENT_CHARACTERS },
    exposeHeadRoutes: false,
    // Kept-alive connections would hold a shutdown up until their clients let go.
    forceCloseConnections: true,
    clientErrorHandler: answerClientError,
    serverFactory: (handler) => createHttpServer(HTTP_OPTIONS, limitPipelining(handler)),
    frameworkErrors: refuse('unknown'),
  });
  // Variant A sends `Content-Type: application/json` without any body, which the framework's parser refuses. Bodies
  // stay texts here, and are read only after the token, the limit and the permission.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));

  for (const { name, method, path, answer } of operations) {
    const work: Work = (incoming, admit) =>
      answer({ ...incoming, user: admit(admission.authenticate(incoming.headers.authorization)) });
    server.route({ method, url: `/v1.0${path}`, handler: respond(name, work), errorHandler: refuse(name) });
  }
  // The interface states two places for this one. Source: rule 5 below its table of operations.
  for (const url of ['/v1.0/token', '/oauth']) {
    const work: Work = (incoming, admit) => getToken.answer(incoming, admit(getToken.identify(incoming)));
    server.route({ method: 'POST', url, handler: respond('getToken', work), errorHandler: refuse('getToken') });
  }
  server.setNotFoundHandler((request, reply) => refuse('unknown')(noSuchOperation(), request, reply));
  server.setErrorHandler(refuse('unknown'));
  return server;
}

/** Closes a connection on which too many requests are unanswered: Node would parse and queue all of them. */
function limitPipelining(listener: RequestListener): RequestListener {
  const unanswered = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    const count = (unanswered.get(socket) ?? 0) + 1;
    if (count > MAX_UNANSWERED) return void socket.destroy();
    unanswered.set(socket, count);
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    listener(request, response);
  };
}

function toIncoming({ headers, params, query, body }: FastifyRequest): Incoming {
  return {
    headers,
    params: params as Incoming['params'],
    query: query as Incoming['query'],
    text: typeof body === 'string' ? body : '',
  };
}
