import type { FastifyInstance } from 'fastify';

import type { Check } from '../core/facts.ts';

/** What readiness depends on. */
export interface HealthOptions {
  readonly checks: readonly Check[];
  readonly isStopping: () => boolean;
  /** How late the event loop is, in milliseconds. */
  readonly delayMs: () => number;
}

/** The event loop delay above which a balancer should choose another gateway. */
const MAX_DELAY_MS = 1_000;

/**
 * Serves `/livez` (the process runs) and `/readyz` (it can do its work: all required checks are `ok`, it is not shutting down,
 * and its event loop is not far behind). Other checks are said there, but are no reason to be unready.
 */
export function registerHealth(app: FastifyInstance, { checks, isStopping, delayMs }: HealthOptions): void {
  app.get('/livez', (_request, reply) => reply.send({ status: 'ok' }));

  app.get('/readyz', async (_request, reply) => {
    if (isStopping()) return reply.code(503).send({ status: 'draining' });
    if (delayMs() > MAX_DELAY_MS) return reply.code(503).send({ status: 'overloaded' });
    const results = await readChecks(checks);
    const failed = results.find(({ check, result }) => check.isRequired && result !== 'ok');
    const body = Object.fromEntries(results.map(({ check, result }) => [check.name, result]));
    return reply.code(failed ? 503 : 200).send({ status: failed?.result ?? 'ok', checks: body });
  });
}

/** Reads all checks. */
export const readChecks = (checks: readonly Check[]) =>
  Promise.all(checks.map(async (check) => ({ check, result: await check.read() })));
