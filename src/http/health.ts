import type { FastifyInstance } from 'fastify';

/** What readiness depends on. */
export interface HealthOptions {
  /** Rejects while the platform gives no token. */
  readonly checkReady: () => Promise<void>;
  /** Whether what replicas share is shared now; absent for a gateway that is alone. */
  readonly isSharing?: (() => boolean) | undefined;
  readonly isStopping: () => boolean;
  /** How late the event loop is, in milliseconds. */
  readonly delayMs: () => number;
}

/** The event loop delay above which a balancer should choose another gateway. */
const MAX_DELAY_MS = 1_000;

/**
 * Serves `/livez` (the process runs) and `/readyz` (it can do its work: the platform gives it a token, it is not shutting
 * down, and its event loop is not far behind). An unreachable Redis is said there, but is no reason to be unready: each
 * replica goes on by itself, and all would become unready at once.
 */
export function registerHealth(app: FastifyInstance, options: HealthOptions): void {
  const { checkReady, isSharing, isStopping, delayMs } = options;

  app.get('/livez', (_request, reply) => reply.send({ status: 'ok' }));

  app.get('/readyz', async (_request, reply) => {
    if (isStopping()) return reply.code(503).send({ status: 'draining', checks: { schema: 'ok' } });
    if (delayMs() > MAX_DELAY_MS) return reply.code(503).send({ status: 'overloaded', checks: { schema: 'ok' } });
    const token = await checkReady().then(
      () => 'ok' as const,
      () => 'unavailable' as const,
    );
    const redis = isSharing && (isSharing() ? 'ok' : 'unavailable');
    return reply.code(token === 'ok' ? 200 : 503).send({ status: token, checks: { schema: 'ok', token, redis } });
  });
}
