import type { FastifyInstance } from 'fastify';

import type { ReadinessCheck } from '../core/facts.ts';

/** Balancers must learn that an overloaded gateway lives. */
export const HEALTH_PATHS: readonly unknown[] = ['/livez', '/readyz'];

/**
 * Serves `/livez` (the process runs) and `/readyz` (it can do its work: all required checks are `ok`, and it is not
 * shutting down). Other checks are said there, but are no reason to be unready.
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
