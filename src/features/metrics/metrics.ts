import { Counter, Gauge as PrometheusGauge, Registry } from 'prom-client';
import { UpstreamError } from '../../core/errors.ts';
import type { Gauge } from '../../core/facts.ts';
import type { ClientName, Observer } from '../../core/observers.ts';

/** How many codes have figures of their own, those of extensions among them; all later ones are `OTHER`. */
const MAX_CODES = 100;
/** How many clients, by name and version, have figures of their own; all later ones are `other`. */
const MAX_CLIENTS = 100;

const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Makes the metrics of one process, for Prometheus. Their labels are ours and few: no name, value, address or caller's text can
 * get in, but for the first names that clients give themselves.
 */
export function createMetrics() {
  const registry = new Registry();
  const operations = createCounter(registry, {
    name: 'caseway_operations_total',
    help: 'Number of GraphQL operations answered.',
    labelNames: ['kind', 'outcome'],
  });
  const operationSeconds = createHistogram(registry, {
    name: 'caseway_operation_seconds',
    help: 'Duration of GraphQL operations in seconds.',
    labelNames: ['kind'],
  });
  const savings = createCounter(registry, {
    name: 'caseway_reads_saved_total',
    help: 'Number of reads without a full response of the platform, by reason: coalesced, 304, fresh or stale.',
    labelNames: ['how'],
  });
  const calls = createCounter(registry, {
    name: 'caseway_platform_calls_total',
    help: 'Number of requests to the platform, token requests included, by status or failure; rate-limited and overloaded ones were not sent.',
    labelNames: ['operation', 'ended'],
  });
  const callerCalls = createCounter(registry, {
    name: 'caseway_caller_calls_total',
    help: 'Number of calls sent to the platform, by caller and kind; callers are named by the configuration.',
    labelNames: ['caller', 'kind'],
  });
  const callSeconds = createHistogram(registry, {
    name: 'caseway_platform_call_seconds',
    help: 'Duration of requests to the platform in seconds.',
    labelNames: ['operation'],
  });
  const clientOperations = createCounter(registry, {
    name: 'caseway_client_operations_total',
    help: 'Number of GraphQL operations answered, by client name and version as the client states them.',
    labelNames: ['client', 'version'],
  });
  const clients = new Set<string>();
  const countClient = ({ name = 'none', version = 'none' }: ClientName): void => {
    const client = `${name}\n${version}`;
    if (clients.size < MAX_CLIENTS) clients.add(client);
    if (clients.has(client)) clientOperations(1, name, version);
    else clientOperations(1, 'other', 'other');
  };
  const errors = createCounter(registry, {
    name: 'caseway_errors_total',
    help: 'Number of responses with an error, by error code, including requests rejected before execution.',
    labelNames: ['code'],
  });
  // Prometheus sees no increase where a figure begins with 1, and the first unexpected error is to raise an alert.
  const codes = new Set(['INTERNAL_SERVER_ERROR']);
  errors(0, 'INTERNAL_SERVER_ERROR');
  const countError = (code: unknown): void => {
    const name = String(code);
    if (codes.size < MAX_CODES) codes.add(name);
    errors(1, codes.has(name) ? name : 'OTHER');
  };
  const refusedCallers = createCounter(registry, {
    name: 'caseway_refused_callers_total',
    help: 'Number of callers that were not let in, by reason.',
    labelNames: ['reason'],
  });
  const extensionCalls = createCounter(registry, {
    name: 'caseway_extension_calls_total',
    help: 'Calls of extensions to other services, by status; failed or aborted where there was none.',
    labelNames: ['extension', 'ended'],
  });
  const extensionCallSeconds = createHistogram(registry, {
    name: 'caseway_extension_call_seconds',
    help: 'Duration of calls of extensions to other services in seconds, until the response headers.',
    labelNames: ['extension'],
  });

  const counted = {
    platform: [calls, callSeconds],
    service: [extensionCalls, extensionCallSeconds],
  } as const;

  /** Adds a gauge that is read at each scrape. */
  const watch = ({ name, help, type, label, read }: Gauge): void => {
    const Metric = type === 'gauge' ? PrometheusGauge : Counter;
    const metric: PrometheusGauge | Counter = new Metric({
      registers: [registry],
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

  /** Counts what happens. */
  const observer: Observer = {
    refusal: countError,
    callerRefused: (reason) => refusedCallers(1, reason),
    operation({ kind = 'none', outcome, durationMs, savings: saved, client, codes: failed }) {
      operations(1, kind, outcome);
      operationSeconds(kind, durationMs / 1_000);
      for (const [how, times] of Object.entries(saved)) if (times > 0) savings(times, how);
      countClient(client);
      for (const code of failed) countError(code);
    },
    call({ name, target, caller, kind }) {
      const startedAtMs = performance.now();
      const [countCall, countSeconds] = counted[target];
      const end = (ended: string, isUnsent = false) => {
        if (caller !== undefined && !isUnsent) callerCalls(1, caller, kind);
        countCall(1, name, ended);
        countSeconds(name, (performance.now() - startedAtMs) / 1_000);
      };
      return {
        end: ({ status }) => end(String(status)),
        fail: (error) => end(endOf(error, target), error instanceof UpstreamError && error.isUnsent),
      };
    },
  };
  return { observer, watch, contentType: registry.contentType, text: () => registry.metrics() };
}

type MetricOptions<LabelNames> = Pick<Gauge, 'name' | 'help'> & { readonly labelNames: LabelNames };

/** A number of a metric, as prom-client writes it. */
interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  value: number;
}

/** Counts by one label or two, in plain numbers: prom-client's own metrics check and hash the labels each time. */
function createCounter(registry: Registry, options: MetricOptions<readonly [string, string?]>) {
  const [first, second] = options.labelNames;
  const samples = new Map<string, Sample>();
  register(registry, { ...options, type: 'counter' }, () => [...samples.values()]);
  return (times: number, one: string, other = ''): void => {
    const key = second === undefined ? one : `${one}\n${other}`;
    const known = samples.get(key);
    if (known) known.value += times;
    else samples.set(key, { labels: { [first]: one, ...(second && { [second]: other }) }, value: times });
  };
}

/** Counts seconds by a label. */
function createHistogram(registry: Registry, options: MetricOptions<readonly [string]>) {
  const { name, labelNames } = options;
  const createSeries = (labels: Sample['labels']) => {
    const sample = (part: string) => ({ metricName: `${name}_${part}`, labels, value: 0 });
    const buckets = [...SECONDS, Number.POSITIVE_INFINITY].map((max) => {
      const le = max === Number.POSITIVE_INFINITY ? '+Inf' : max;
      return { ...sample('bucket'), labels: { le, ...labels }, max };
    });
    return { buckets, sum: sample('sum'), count: sample('count') };
  };
  const series = new Map<string, ReturnType<typeof createSeries>>();
  register(registry, { ...options, type: 'histogram' }, () =>
    [...series.values()].flatMap(({ buckets, sum, count }): Sample[] => [...buckets, sum, count]),
  );
  return (value: string, seconds: number): void => {
    const known = series.get(value) ?? createSeries({ [labelNames[0]]: value });
    if (known.count.value++ === 0) series.set(value, known);
    for (const bucket of known.buckets) if (seconds <= bucket.max) bucket.value++;
    known.sum.value += seconds;
  };
}

/** Registers a metric whose samples are read at each scrape. prom-client calls `get` alone, and its types ask for a class. */
function register(registry: Registry, metric: MetricOptions<unknown> & { type: string }, read: () => Sample[]): void {
  registry.registerMetric({ ...metric, get: async () => ({ ...metric, values: read() }) } as unknown as Counter);
}

/** A word for a call that ended without a response. */
function endOf(error: unknown, target: keyof typeof UNKNOWN): string {
  if (!(error instanceof UpstreamError)) return UNKNOWN[target];
  return target === 'platform' ? error.failure : 'aborted';
}

const UNKNOWN = { platform: 'unknown', service: 'failed' } as const;
