import type { FastifyInstance } from 'fastify';

import type { Check } from '../core/facts.ts';
import type { SchemaManager } from '../graphql/apollo-server.ts';

/** What readiness depends on, whatever the features. */
export const coreChecks = (
  graph: Pick<SchemaManager, 'missing'>,
  checkToken: () => Promise<void>,
): readonly Check[] => [
  {
    name: 'schema',
    isRequired: true,
    problem: 'the form definitions have not been read',
    read: () => (graph.missing() === undefined ? 'ok' : 'unavailable'),
  },
  {
    name: 'token',
    isRequired: true,
    problem: 'the platform gives no token',
    read: () =>
      checkToken().then(
        () => 'ok',
        () => 'unavailable',
      ),
  },
];

/** What readiness depends on. */
export interface HealthOptions {
  readonly checks: readonly Check[];
  readonly isStopping: () => boolean;
  /** How late the event loop is, in milliseconds. */
  readonly delayMs: () => number;
}

/** The answers for orchestrators, by path. */
export type Health = ReadonlyMap<string, () => Promise<HealthAnswer>>;

interface HealthAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The event loop delay above which a balancer should choose another gateway. */
const MAX_DELAY_MS = 1_000;

/**
 * Makes `/livez` (the process runs) and `/readyz` (it can do its work: all required checks are `ok`, it is not shutting down,
 * and its event loop is not far behind). Other checks are said there, but are no reason to be unready.
 */
export function createHealth({ checks, isStopping, delayMs }: HealthOptions): Health {
  const readReadiness = async (): Promise<HealthAnswer> => {
    if (isStopping()) return { status: 503, body: { status: 'draining' } };
    if (delayMs() > MAX_DELAY_MS) return { status: 503, body: { status: 'overloaded' } };
    const results = await readChecks(checks);
    const failed = results.find(({ check, result }) => check.isRequired && result !== 'ok');
    const read = Object.fromEntries(results.map(({ check, result }) => [check.name, result]));
    return { status: failed ? 503 : 200, body: { status: failed?.result ?? 'ok', checks: read } };
  };
  return new Map([
    ['/livez', async () => ({ status: 200, body: { status: 'ok' } })],
    ['/readyz', readReadiness],
  ]);
}

/** Serves health where the graph is. */
export function registerHealth(app: FastifyInstance, health: Health): void {
  for (const [path, read] of health) {
    app.get(path, async (_request, reply) => {
      const { status, body } = await read();
      return reply.code(status).send(body);
    });
  }
}

/** Reads all checks. */
export const readChecks = (checks: readonly Check[]) =>
  Promise.all(checks.map(async (check) => ({ check, result: await check.read() })));
