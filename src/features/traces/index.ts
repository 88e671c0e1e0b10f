import type { Environment, Report } from '../../config/load.ts';
import type { Feature } from '../feature.ts';

/** Sends spans of requests and calls by OpenTelemetry, if its environment variables enable it. */
export const traces: Feature = {
  configure({ env, report }) {
    const config = readTraces(env, report);
    if (config === undefined) return undefined;
    return {
      async open({ version, log, observers, defer }) {
        // The import is slow.
        const { createTracer } = await import('./tracer.ts');
        const { observer, close } = await createTracer({ ...config, version, log });
        observers.add(observer);
        defer(close);
      },
    };
  },
};

/**
 * The timeout of an export in milliseconds. It is shorter than OpenTelemetry's default of ten
 * seconds, so that an unreachable receiver does not delay the shutdown.
 */
const EXPORT_TIMEOUT_MS = 3_000;

/**
 * Reads the environment variables that OpenTelemetry's packages do not read. The URL of a receiver
 * enables traces, and so does `OTEL_TRACES_EXPORTER`. An empty variable counts as unset. Returns
 * `undefined` if traces are disabled or a variable is invalid.
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
