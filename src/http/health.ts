import type { FastifyInstance } from 'fastify';

import type { ReadinessCheck } from '../core/facts.ts';

/** Paths that are served even under overload, so that balancers see the gateway alive. */
export const HEALTH_PATHS: readonly unknown[] = ['/livez', '/readyz'];

/**
 * Creates the routes `/livez` (the process runs) and `/readyz` (all required checks are `ok`, and
 * the gateway is not shutting down). `/readyz` also lists the optional checks.
 */
export function createHealth(readiness: readonly ReadinessCheck[], isStopping: () => boolean) {
  return (app: FastifyInstance): void => {
    app.get('/livez', async () => ({ status: 'ok' }));
    app.get('/readyz', async (_request, reply) => {
      if (isStopping()) return reply.code(503).send({ status: 'draining' });
      const results = await Promise.all(
        readiness.map(async (check) => ({ check, result: await check.read() })),
      );
      const failed = results.find(({ check, result }) => check.isRequired && result !== 'ok');
      const checks = Object.fromEntries(results.map(({ check, result }) => [check.name, result]));
      return reply.code(failed ? 503 : 200).send({ status: failed?.result ?? 'ok', checks });
    });
  };
}
