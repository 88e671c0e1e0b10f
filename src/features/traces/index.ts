import type { Environment, Report } from '../../config/load.ts';
import type { Feature } from '../feature.ts';

/** Spans of requests and calls, sent by OpenTelemetry where its own variables say so. */
export const traces: Feature = {
  configure({ env, report }) {
    const config = readTraces(env, report);
    if (config === undefined) return undefined;
    return {
      async open({ version, log, observers, defer }) {
        // Its import is slow.
        const { createTracer } = await import('./tracer.ts');
        const { observer, close } = await createTracer({ ...config, version, log });
        observers.add(observer);
        defer(close);
      },
    };
  },
};

/** Shorter than OpenTelemetry's ten seconds, so that an unreachable receiver does not delay the shutdown. */
const EXPORT_TIMEOUT_MS = 3_000;

/**
 * Reads the variables that OpenTelemetry's own packages do not read. Traces are enabled by the URL of a receiver, or by naming the
 * exporter. An empty variable counts as unset.
 */
function readTraces(env: Environment, report: Report) {
  const find = (name: string) =>
    env[`OTEL_EXPORTER_OTLP_TRACES_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`];
  const exporter = env['OTEL_TRACES_EXPORTER'] || (find('ENDPOINT') ? 'otlp' : 'none');
  if (exporter === 'none' || env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return undefined;
  if (exporter !== 'otlp') report('OTEL_TRACES_EXPORTER', 'must be otlp or none');
  const protocol = find('PROTOCOL') || 'http/protobuf';
  const exportTimeoutMs = find('TIMEOUT') ? undefined : EXPORT_TIMEOUT_MS;
  if (protocol === 'http/protobuf' || protocol === 'http/json')
    return { protocol, exportTimeoutMs } as const;
  report('OTEL_EXPORTER_OTLP_PROTOCOL', 'must be http/protobuf or http/json');
  return undefined;
}
