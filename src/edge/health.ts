import type { FastifyInstance } from 'fastify';

/** What readiness depends on. */
export interface HealthOptions {
  /** Rejects while the platform gives no token. */
  readonly checkReady: () => Promise<void>;
  /** Whether what replicas share is shared now; absent for a gateway that is alone. */
  readonly isSharing?: (() => boolean) | undefined;
  readonly isDraining: () => boolean;
  /** How late the event loop was of late, in milliseconds. */
  readonly lagMs: () => number;
}

/** Above which lateness of the event loop a balancer should look for another gateway. */
const LAG_MAX_MS = 1_000;

/**
 * Serves `/livez` (the process runs) and `/readyz` (it can do its work: the platform gives it a token, it is not about
 * to stop, and it is not far behind). That Redis is away is said there, but no reason to be unready: each replica goes on by
 * itself, and they would all fall out at once.
 */
export function registerHealth(app: FastifyInstance, options: HealthOptions): void {
  const { checkReady, isSharing, isDraining, lagMs } = options;

  app.get('/livez', () => ({ status: 'ok' }));

  app.get('/readyz', async (_request, reply) => {
    if (isDraining()) return reply.code(503).send({ status: 'draining', checks: { schema: 'ok' } });
    if (lagMs() > LAG_MAX_MS) return reply.code(503).send({ status: 'overloaded', checks: { schema: 'ok' } });
    const token = await checkReady().then(
      () => 'ok' as const,
      () => 'unavailable' as const,
    );
    const redis = isSharing && (isSharing() ? 'ok' : 'unavailable');
    return reply.code(token === 'ok' ? 200 : 503).send({ status: token, checks: { schema: 'ok', token, redis } });
  });
}
