import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Histogram } from '@prometheus-io/client';
import { fastify } from 'fastify';
import { getOperationAST, type OperationDefinitionNode } from 'graphql';
import mercurius, { type MercuriusContext } from 'mercurius';
import { pino } from 'pino';

import { resolvers, typeDefs } from '../graph.ts';
import { createContext, host, port } from './start.ts';

// Mercurius with Caseway's other work for each operation: checking the caller's API key, a log
// line, and a histogram of durations.
interface Duties {
  readonly caller: string;
  readonly startedAtMs: number;
  operation?: OperationDefinitionNode | null | undefined;
}

const { CALLER_KEYS = '' } = process.env;
const callers = new Map(
  CALLER_KEYS.split(',').map((entry) => entry.split(':').reverse() as [string, string]),
);
const destination = pino.destination({
  dest: 1,
  sync: false,
  minLength: 16_000,
  periodicFlush: 100,
});
const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
const seconds = new Histogram({
  name: 'operation_seconds',
  help: 'Duration of GraphQL operations in seconds.',
  labelNames: ['kind'],
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});

function callerOf({ 'x-api-key': key }: IncomingHttpHeaders): string {
  const caller = callers.get(hash('sha256', String(key), 'hex'));
  if (caller === undefined) throw Object.assign(new Error('Unauthenticated'), { statusCode: 401 });
  return caller;
}

const app = fastify();
await app.register(mercurius.default, {
  schema: typeDefs,
  resolvers: resolvers as never,
  context: ({ headers }): Duties => ({
    ...createContext(),
    caller: callerOf(headers),
    startedAtMs: performance.now(),
  }),
  jit: 1,
});
app.graphql.addHook(
  'preExecution',
  async (_schema, document, context: MercuriusContext & Duties) => {
    context.operation = getOperationAST(document);
  },
);
app.graphql.addHook('onResolution', async ({ errors }, context: MercuriusContext & Duties) => {
  const { reply, caller, operation, startedAtMs } = context;
  const kind = operation?.operation ?? 'none';
  const durationMs = performance.now() - startedAtMs;
  const outcome = errors === undefined ? 'ok' : 'failed';
  const name = operation?.name?.value;
  log.info(
    { requestId: reply.request.id, caller, operation: name, kind, durationMs, outcome },
    'operation',
  );
  seconds.observe({ kind }, durationMs / 1_000);
});
await app.listen({ port, host });
