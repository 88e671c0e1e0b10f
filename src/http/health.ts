import type { FastifyInstance } from 'fastify';

/** What readiness depends on. */
export interface HealthOptions {
  /** Rejects while the platform gives no token. */
  readonly checkReady: () => Promise<void>;
  /** Whether the schema lacks the types of forms. */
  readonly isSchemaMissing: () => boolean;
  /** Whether what replicas share is shared now; absent for a gateway that is alone. */
  readonly isSharing?: (() => boolean) | undefined;
  /** What extensions lack, since it does not fit the graph; absent where there are none. */
  readonly leftOut?: (() => readonly object[]) | undefined;
  readonly isStopping: () => boolean;
  /** How late the event loop is, in milliseconds. */
  readonly delayMs: () => number;
}

/** The event loop delay above which a balancer should choose another gateway. */
const MAX_DELAY_MS = 1_000;

/**
 * Serves `/livez` (the process runs) and `/readyz` (it can do its work: the platform gives it a token and has given it the
 * form definitions, it is not shutting down, and its event loop is not far behind). An unreachable Redis is said there, but is no reason to be unready: each
 * replica runs standalone, and all would become unready at once. Nor is a part of an extension that does not fit.
 */
export function registerHealth(app: FastifyInstance, options: HealthOptions): void {
  const { checkReady, isSchemaMissing, isSharing, leftOut, isStopping, delayMs } = options;

  app.get('/livez', (_request, reply) => reply.send({ status: 'ok' }));

  const describe = async () => {
    const schema = isSchemaMissing() ? 'unavailable' : 'ok';
    if (isStopping()) return { status: 'draining', checks: { schema } };
    if (delayMs() > MAX_DELAY_MS) return { status: 'overloaded', checks: { schema } };
    const token = await checkReady().then(
      () => 'ok' as const,
      () => 'unavailable' as const,
    );
    const redis = isSharing && (isSharing() ? 'ok' : 'unavailable');
    const extensions = leftOut && { leftOut: leftOut().length };
    return { status: schema === 'ok' ? token : schema, checks: { schema, token, redis }, extensions };
  };
  app.get('/readyz', async (_request, reply) => {
    const state = await describe();
    return reply.code(state.status === 'ok' ? 200 : 503).send(state);
  });
}
