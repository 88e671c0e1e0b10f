import type { FastifyInstance } from 'fastify';

/** Serves `/livez` (the process runs) and `/readyz` (it can do its work: the platform gives it a token). */
export function registerHealth(app: FastifyInstance, checkReady: () => Promise<void>): void {
  app.get('/livez', () => ({ status: 'ok' }));

  app.get('/readyz', async (_request, reply) => {
    const token = await checkReady().then(
      () => 'ok' as const,
      () => 'unavailable' as const,
    );
    return reply.code(token === 'ok' ? 200 : 503).send({ status: token, checks: { schema: 'ok', token } });
  });
}
