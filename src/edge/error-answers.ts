import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GraphQLError } from 'graphql';

import { RequestError } from './request-error.ts';

/** What a client reads where fastify refused the request, by status. */
const MESSAGES: Readonly<Record<number, string>> = {
  400: 'The request cannot be read.',
  415: 'Send the request body as application/json.',
};

/** Answers every fault outside the graph as the graph answers its own: JSON with a code, never a page or a stack. */
export function registerErrorAnswers(app: FastifyInstance, bodyMaxBytes: number): void {
  app.setErrorHandler((error: FastifyError | RequestError | GraphQLError, request, reply) => {
    if (error instanceof RequestError) return refuse(error, request, reply);
    if (error instanceof GraphQLError) return refuseDocument(error, request, reply);
    const status = error.statusCode ?? 500;
    if (status === 413) {
      const found = request.headers['content-length'] ?? `more than ${bodyMaxBytes}`;
      const message = `The request body is too large: ${found} bytes, and at most ${bodyMaxBytes} are taken.`;
      return reply.code(413).send(toBody(message, 'BAD_USER_INPUT', request.id));
    }
    if (status >= 400 && status < 500) {
      return reply.code(status).send(toBody(MESSAGES[status] ?? REFUSED, 'BAD_USER_INPUT', request.id));
    }
    request.log.error({ err: error, requestId: request.id }, 'unexpected error');
    return reply.code(500).send(toBody('Internal server error', 'INTERNAL_SERVER_ERROR', request.id));
  });

  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send(toBody('There is nothing here; the API is at /graphql.', 'NOT_FOUND', request.id)),
  );
}

/** Answers what the graph refuses before an operation runs: it says the status and the code. */
function refuseDocument(
  { message, extensions }: GraphQLError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { code, http } = extensions as { readonly code: string; readonly http: { readonly status: number } };
  return reply.code(http.status).send(toBody(message, code, request.id));
}

function refuse(error: RequestError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { statusCode, headers, message, code, retryable } = error;
  // A client's fault is the client's to know; what the gateway lacks is its operator's.
  if (statusCode >= 500) request.log.warn({ requestId: request.id }, message);
  return reply
    .code(statusCode)
    .headers(headers)
    .send(toBody(message, code, request.id, retryable));
}

const REFUSED = 'The request cannot be served.';

const toBody = (message: string, code: string, requestId: string, retryable = false) => ({
  errors: [{ message, extensions: { code, retryable, requestId } }],
});
