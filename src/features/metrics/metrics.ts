import { Counter, collectDefaultMetrics, Gauge as PrometheusGauge, Registry } from 'prom-client';
import { type LimitOf, UpstreamError } from '../../core/errors.ts';
import type { Gauge } from '../../core/facts.ts';
import type { ClientName, Observer, OperationReport } from '../../core/observers.ts';

/** How many values of a label that others choose have figures of their own; all later ones are `other`. */
const MAX_VALUES = 100;

const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Makes the metrics of one process, for Prometheus. Their labels are ours and few: no name, value, address or caller's text can
 * get in, but for the first names that clients give themselves.
 */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counter = (name: string, help: string, ...labelNames: [string, string?]) =>
    createCounter(registry, { name: `caseway_${name}_total`, help, labelNames });
  const histogram = (name: string, help: string, label: string) =>
    createHistogram(registry, { name: `caseway_${name}_seconds`, help, labelNames: [label] });

  const operations = counter('operations', 'Number of GraphQL operations answered.', 'kind', 'outcome');
  const operationSeconds = histogram('operation', 'Duration of GraphQL operations in seconds.', 'kind');
  const clients = counter(
    'client_operations',
    'The same, by client name and version as it states them.',
    'client',
    'version',
  );
  const savings = counter(
    'reads_saved',
    'Reads without a full response, by reason: coalesced, 304, fresh or stale.',
    'how',
  );
  const errors = counter('errors', 'Responses with an error, by code, and requests rejected before execution.', 'code');
  const limited = counter('rate_limited', 'Operations and requests that met a limit, by whose it is.', 'limit_of');
  const refused = counter('refused_callers', 'Callers that were not let in, by reason.', 'reason');
  const callerCalls = counter('caller_calls', 'Calls sent to the platform, by caller and kind.', 'caller', 'kind');
  const of = {
    platform: {
      calls: counter('platform_calls', 'Requests to the platform, by status or failure.', 'operation', 'ended'),
      seconds: histogram('platform_call', 'Duration of requests to the platform in seconds.', 'operation'),
    },
    service: {
      calls: counter('extension_calls', 'Calls of extensions to other services, by status.', 'extension', 'ended'),
      seconds: histogram('extension_call', 'Duration of these calls in seconds, until the headers.', 'extension'),
    },
  } as const;
  // Prometheus sees no increase where a figure begins with 1, and the first unexpected error is to raise an alert.
  errors(0, 'INTERNAL_SERVER_ERROR');
  const [codes, names] = [bounded('OTHER'), bounded('other')];
  const countError = (code: unknown): void => errors(1, codes(String(code)));
  const countClient = ({ name = 'none', version = 'none' }: ClientName): void => {
    const isOther = names(`${name}\n${version}`) === 'other';
    clients(1, isOther ? 'other' : name, isOther ? 'other' : version);
  };

  /** Adds a gauge that is read at each scrape. */
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

  /** Counts what happens. */
  const observer: Observer = {
    refusal(code, limitOf) {
      countError(code);
      if (limitOf) limited(1, limitOf);
    },
    callerRefused: (reason) => refused(1, reason),
    operation({ kind = 'none', outcome, durationMs, savings: saved, client, codes: failed, errors: thrown }) {
      operations(1, kind, outcome);
      operationSeconds(kind, durationMs / 1_000);
      for (const [how, times] of Object.entries(saved)) if (times > 0) savings(times, how);
      countClient(client);
      for (const code of failed) countError(code);
      for (const limitOf of limitsOf(thrown)) limited(1, limitOf);
    },
    call({ name, target, caller, kind }) {
      const startedAtMs = performance.now();
      const { calls, seconds } = of[target];
      const end = (ended: string, isUnsent = false) => {
        if (caller !== undefined && kind !== undefined && !isUnsent) callerCalls(1, caller, kind);
        calls(1, name, ended);
        seconds(name, (performance.now() - startedAtMs) / 1_000);
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
    const buckets = [...BUCKETS, Number.POSITIVE_INFINITY].map((max) => {
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

/** Gives the first values as they are, and a word for all later ones. */
function bounded(other: string): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.size < MAX_VALUES) known.add(value);
    return known.has(value) ? value : other;
  };
}

/** Whose limits an operation has met, each once. */
const limitsOf = (errors: OperationReport['errors']): ReadonlySet<LimitOf> =>
  new Set(
    errors.flatMap(({ originalError }) =>
      originalError instanceof UpstreamError ? (originalError.limit?.of ?? []) : [],
    ),
  );

/** A word for a call that ended without a response. */
function endOf(error: unknown, target: 'platform' | 'service'): string {
  if (!(error instanceof UpstreamError)) return target === 'platform' ? 'unknown' : 'failed';
  return target === 'platform' ? error.failure : 'aborted';
}
