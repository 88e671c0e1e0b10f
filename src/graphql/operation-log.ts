import { describeError, type Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { RequestSpan } from '../telemetry/requests.ts';
import { UpstreamError } from '../upstream/errors.ts';
import type { OperationContext, OperationReport } from './context.ts';
import { isUnexpected } from './errors.ts';

/** An operation's name is the client's to choose, so only this much of it is kept. */
const MAX_NAME_LENGTH = 100;

/**
 * Writes one log line for an operation, with its request's ids, its name and kind, how long it took, its calls, its
 * outcome and what failed on the platform's side, and one for each unexpected error; counts it in the metrics, and describes it in its span.
 */
export type LogOperation = (context: OperationContext, startedAtMs: number, span?: RequestSpan) => void;

export const createOperationLog =
  (log: Log, metrics?: Metrics): LogOperation =>
  ({ ids, client, stats, report }, startedAtMs, span) => {
    for (const { originalError } of report.thrown?.filter(isUnexpected) ?? []) {
      log.error({ ...ids, err: originalError }, 'unexpected error');
    }
    const durationMs = performance.now() - startedAtMs;
    const outcome = outcomeOf(report);
    const { codes = [] } = outcome;
    const { coalesced, notModified: not_modified, fresh, stale } = stats;
    const savings = { coalesced, not_modified, fresh, stale: stale.length };
    metrics?.operation({ kind: report.kind, outcome: outcome.outcome, durationMs, savings, client, codes });
    const name = report.name?.slice(0, MAX_NAME_LENGTH);
    span?.describe({ name, kind: report.kind, ...outcome, upstreamCalls: stats.calls });
    log.info(
      {
        ...ids,
        operation: name,
        kind: report.kind,
        client: client.name,
        clientVersion: client.version,
        durationMs: Math.round(durationMs * 10) / 10,
        upstreamCalls: stats.calls,
        extensionCalls: stats.extensionCalls || undefined,
        ...outcome,
        failures: failuresOf(report),
      },
      'operation',
    );
  };

/** `ok`, `partial` where some fields failed, `failed` where there is no data at all; and the codes of what failed. */
function outcomeOf({ data, errors }: OperationReport) {
  if (errors === undefined) return { outcome: 'ok', codes: undefined } as const;
  const hasData = data != null && Object.values(data).some((value) => value !== null);
  const codes = [...new Set(errors.map(({ extensions }) => extensions?.['code']))];
  return { outcome: hasData ? 'partial' : 'failed', codes } as const;
}

const MAX_FAILURES = 5;

/** The different failures of the platform, each with its cause; `undefined` where there is none. */
function failuresOf({ thrown = [] }: OperationReport): readonly object[] | undefined {
  const failures = new Map<string, object>();
  for (const { originalError } of thrown) {
    if (!(originalError instanceof UpstreamError)) continue;
    const failure = describeError(originalError);
    failures.set(JSON.stringify(failure), failure);
  }
  return failures.size === 0 ? undefined : [...failures.values()].slice(0, MAX_FAILURES);
}
