import { Counter, Histogram, Gauge as PrometheusGauge, Registry } from 'prom-client';
import { UpstreamError } from '../../core/errors.ts';
import type { Gauge } from '../../core/facts.ts';
import type { ClientName, Observer } from '../../core/observers.ts';

/**
 * The metrics of one process, for Prometheus. Their labels are ours and few: no name, value, address or caller's text can
 * get in, but for the first names that clients give themselves.
 */
interface Metrics {
  /** Counts what happens. */
  readonly observer: Observer;
  /** Adds a gauge that is read at each scrape. */
  watch(gauge: Gauge): void;
  /** Resolves to all metrics, in the text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** How many codes have figures of their own, those of extensions among them; all later ones are `OTHER`. */
const MAX_CODES = 100;
/** How many clients, by name and version, have figures of their own; all later ones are `other`. */
const MAX_CLIENTS = 100;

const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const operations = new Counter({
    registers,
    name: 'caseway_operations_total',
    help: 'Number of GraphQL operations answered.',
    labelNames: ['kind', 'outcome'],
  });
  const operationSeconds = new Histogram({
    registers,
    name: 'caseway_operation_seconds',
    help: 'Duration of GraphQL operations in seconds.',
    labelNames: ['kind'],
    buckets: SECONDS,
  });
  const savings = new Counter({
    registers,
    name: 'caseway_reads_saved_total',
    help: 'Number of reads without a full response of the platform, by reason: coalesced, 304, fresh or stale.',
    labelNames: ['how'],
  });
  const calls = new Counter({
    registers,
    name: 'caseway_platform_calls_total',
    help: 'Number of requests to the platform, token requests included, by status or failure; rate-limited and overloaded ones were not sent.',
    labelNames: ['operation', 'ended'],
  });
  const callSeconds = new Histogram({
    registers,
    name: 'caseway_platform_call_seconds',
    help: 'Duration of requests to the platform in seconds.',
    labelNames: ['operation'],
    buckets: SECONDS,
  });
  const clientOperations = new Counter({
    registers,
    name: 'caseway_client_operations_total',
    help: 'Number of GraphQL operations answered, by client name and version as the client states them.',
    labelNames: ['client', 'version'],
  });
  const clients = new Set<string>();
  const countClient = ({ name = 'none', version = 'none' }: ClientName): void => {
    const client = `${name}\n${version}`;
    if (clients.size < MAX_CLIENTS) clients.add(client);
    clientOperations.inc(clients.has(client) ? { client: name, version } : { client: 'other', version: 'other' });
  };
  const errors = new Counter({
    registers,
    name: 'caseway_errors_total',
    help: 'Number of responses with an error, by error code, including requests rejected before execution.',
    labelNames: ['code'],
  });
  // Prometheus sees no increase where a figure begins with 1, and the first unexpected error is to raise an alert.
  const codes = new Set(['INTERNAL_SERVER_ERROR']);
  errors.inc({ code: 'INTERNAL_SERVER_ERROR' }, 0);
  const countError = (code: unknown): void => {
    const name = String(code);
    if (codes.size < MAX_CODES) codes.add(name);
    errors.inc({ code: codes.has(name) ? name : 'OTHER' });
  };
  const refusedCallers = new Counter({
    registers,
    name: 'caseway_refused_callers_total',
    help: 'Number of callers that were not let in, by reason.',
    labelNames: ['reason'],
  });
  const extensionCalls = new Counter({
    registers,
    name: 'caseway_extension_calls_total',
    help: 'Calls of extensions to other services, by status; failed or aborted where there was none.',
    labelNames: ['extension', 'ended'],
  });
  const extensionCallSeconds = new Histogram({
    registers,
    name: 'caseway_extension_call_seconds',
    help: 'Duration of calls of extensions to other services in seconds, until the response headers.',
    labelNames: ['extension'],
    buckets: SECONDS,
  });

  const count = {
    platform: (operation: string, ended: string, durationMs: number) => {
      calls.inc({ operation, ended });
      callSeconds.observe({ operation }, durationMs / 1_000);
    },
    service: (extension: string, ended: string, durationMs: number) => {
      extensionCalls.inc({ extension, ended });
      extensionCallSeconds.observe({ extension }, durationMs / 1_000);
    },
  } as const;

  const watch = ({ name, help, type, label, read }: Gauge): void => {
    const Metric = type === 'gauge' ? PrometheusGauge : Counter;
    const metric: PrometheusGauge | Counter = new Metric({
      registers,
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      async collect() {
        const value = await read();
        metric.reset();
        if (label === undefined) metric.inc(Number(value));
        else for (const [of, number] of Object.entries(value)) metric.inc({ [label]: of }, number);
      },
    });
  };

  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    watch,
    observer: {
      refusal: countError,
      callerRefused: (reason) => refusedCallers.inc({ reason }),
      operation({ kind = 'none', outcome, durationMs, savings: saved, client, codes: failed }) {
        operations.inc({ kind, outcome });
        operationSeconds.observe({ kind }, durationMs / 1_000);
        for (const [how, times] of Object.entries(saved)) if (times > 0) savings.inc({ how }, times);
        countClient(client);
        for (const code of failed) countError(code);
      },
      call({ name, target }) {
        const startedAtMs = performance.now();
        const end = (ended: string) => count[target](name, ended, performance.now() - startedAtMs);
        return { end: (status) => end(String(status)), fail: (error) => end(endOf(error, target)) };
      },
    },
  };
}

/** A word for a call that ended without a response. */
function endOf(error: unknown, target: keyof typeof UNKNOWN): string {
  if (!(error instanceof UpstreamError)) return UNKNOWN[target];
  return target === 'platform' ? error.failure : 'aborted';
}

const UNKNOWN = { platform: 'unknown', service: 'failed' } as const;
