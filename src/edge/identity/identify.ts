import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '../../cache/scope.ts';
import type { Session } from '../../graphql/session.ts';

/** Who asks: what they may see, and their session. */
export interface Identity {
  readonly scope: Scope;
  readonly session: Session;
}

/**
 * Tells who makes a request.
 *
 * @throws {RequestError} for a request that may not come in at all.
 */
export type Identify = (request: FastifyRequest, reply: FastifyReply) => Promise<Identity>;
