import { Counter, Histogram, Registry } from '@prometheus-io/client';
import { expect, it } from 'vitest';

import type { OperationReport } from '../../../src/core/observers.ts';
import { createMetrics } from '../../../src/features/metrics/metrics.ts';

const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const DURATIONS_MS = [0, 1.25, 2, 2.5, 77, 0.1, 1_000, 9_999, 12_000, 250, 3.3];

const report = (durationMs: number, index: number): OperationReport => ({
  name: undefined,
  kind: ['query', 'mutation', undefined][index % 3],
  outcome: index % 2 === 0 ? 'ok' : 'failed',
  codes: index % 4 === 0 ? [] : ['NOT_FOUND', `CODE_${index}`],
  errors: [],
  client: index % 2 === 0 ? {} : { name: 'a "client" \\', version: `${index}\n` },
  caller: 'none',
  subject: undefined,
  durationMs,
  upstreamCalls: 0,
  extensionCalls: 0,
  savings: { coalesced: index, not_modified: 0, fresh: 2, stale: 0 },
});

it('the metrics of operations are those of the library, name by name and label by label', async () => {
  const { observer, text } = createMetrics();
  const registry = new Registry();
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ registers, name: `caseway_${name}`, help, labelNames });
  const operations = counter('operations_total', 'Number of GraphQL operations answered.', ['kind', 'outcome']);
  const seconds = new Histogram({
    registers,
    name: 'caseway_operation_seconds',
    help: 'Duration of GraphQL operations in seconds.',
    labelNames: ['kind'],
    buckets: BUCKETS,
  });
  const savings = counter(
    'reads_saved_total',
    'Reads without a full response, by reason: coalesced, 304, fresh or stale.',
    ['how'],
  );
  const clients = counter('client_operations_total', 'The same, by client name and version as it states them.', [
    'client',
    'version',
  ]);
  const errors = counter('errors_total', 'Responses with an error, by code, and requests rejected before execution.', [
    'code',
  ]);

  errors.inc({ code: 'INTERNAL_SERVER_ERROR' }, 0);
  for (const [index, durationMs] of DURATIONS_MS.entries()) {
    const { kind = 'none', outcome, client, codes, savings: saved } = report(durationMs, index);
    observer.operation?.(report(durationMs, index), { ids: { requestId: '1' } });
    operations.inc({ kind, outcome });
    seconds.observe({ kind }, durationMs / 1_000);
    for (const [how, times] of Object.entries(saved)) if (times > 0) savings.inc({ how }, times);
    clients.inc({ client: client.name ?? 'none', version: client.version ?? 'none' });
    for (const code of codes) errors.inc({ code: String(code) });
  }

  const ours = await text();
  for (const metric of (await registry.metrics()).trimEnd().split('\n\n')) expect(ours).toContain(`${metric}\n`);
});
