import {
  Counter,
  collectDefaultMetrics,
  Histogram,
  Gauge as PrometheusGauge,
  Registry,
} from '@prometheus-io/client';
import { type LimitOf, UpstreamError } from '../../core/errors.ts';
import type { Gauge } from '../../core/facts.ts';
import type { ClientName, Observer, OperationReport } from '../../core/observers.ts';

/**
 * The maximum number of different values of a label that clients or files choose. All further values
 * count as `other`.
 */
const MAX_VALUES = 100;

/**
 * How often the library samples the load of the event loop, in milliseconds. Its default, ten times
 * a second, costs an idle process noticeable CPU time.
 */
const EVENT_LOOP_MS = 1_000;

const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Creates the Prometheus metrics of one process. Labels come from small fixed sets and the
 * configuration. The only text of clients in them is the first names that they give themselves.
 * There are no values, no keys and no URLs.
 */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopUtilizationTimeout: EVENT_LOOP_MS });

  /** Adds a metric whose value is read at each scrape. */
  const watch = ({ name, help, type, label, read }: Gauge): void =>
    addCollected(
      registry,
      { name, help, type, labelNames: label === undefined ? [] : [label] },
      async () => {
        const value = await read();
        if (label === undefined) return [{ labels: {}, value: Number(value) }];
        return Object.entries(value).map(([of, number]) => ({
          labels: { [label]: of },
          value: number,
        }));
      },
    );
  const counter = (name: string, help: string, first: string, second?: string) =>
    createCounter(registry, { name: `caseway_${name}_total`, help, first, second });
  const histogram = (name: string, help: string, label: string) => {
    const seconds = new Histogram({
      registers: [registry],
      name: `caseway_${name}_seconds`,
      help,
      labelNames: [label],
      buckets: BUCKETS,
    });
    return (value: string, durationMs: number) =>
      seconds.observe({ [label]: value }, durationMs / 1_000);
  };

  const operations = counter(
    'operations',
    'Number of GraphQL operations answered.',
    'kind',
    'outcome',
  );
  const operationSeconds = histogram(
    'operation',
    'Duration of GraphQL operations in seconds.',
    'kind',
  );
  const clients = counter(
    'client_operations',
    'The same, by client name and version as it states them.',
    'client',
    'version',
  );
  const callerOperations = counter(
    'caller_operations',
    'GraphQL operations, by caller: a name from the configuration, never a key.',
    'caller',
    'outcome',
  );
  const documentOperations = counter(
    'document_operations',
    'Operations of trusted documents, by the operation’s name.',
    'operation',
    'outcome',
  );
  const savings = counter(
    'reads_saved',
    'Reads without a full response, by reason: coalesced, 304, fresh or stale.',
    'how',
  );
  const errors = counter(
    'errors',
    'Responses with an error, by code, and requests rejected before execution.',
    'code',
  );
  const limited = counter(
    'rate_limited',
    'Operations and requests that met a limit, by whose it is.',
    'limit_of',
  );
  const refused = counter('refused_callers', 'Callers that were not let in, by reason.', 'reason');
  const callerCalls = counter(
    'caller_calls',
    'Calls sent to the platform, by caller and kind.',
    'caller',
    'kind',
  );
  const of = {
    platform: {
      calls: counter(
        'platform_calls',
        'Requests to the platform, by status or failure.',
        'operation',
        'ended',
      ),
      seconds: histogram(
        'platform_call',
        'Duration of requests to the platform in seconds.',
        'operation',
      ),
    },
    service: {
      calls: counter(
        'extension_calls',
        'Calls of extensions to other services, by status.',
        'extension',
        'ended',
      ),
      seconds: histogram(
        'extension_call',
        'Duration of these calls in seconds, until the headers.',
        'extension',
      ),
    },
  } as const;
  // Prometheus sees no increase in a counter that starts at 1, and the first unexpected error must
  // raise an alert.
  errors(0, 'INTERNAL_SERVER_ERROR');
  const [codes, names] = [bounded('OTHER'), bounded('other')];
  const [callers, documents] = [bounded('other'), bounded('other')];
  const countError = (code: unknown): void => errors(1, codes(String(code)));
  const countClient = ({ name = 'none', version = 'none' }: ClientName): void => {
    const isOther = names(`${name}\n${version}`) === 'other';
    clients(1, isOther ? 'other' : name, isOther ? 'other' : version);
  };

  /** Updates the metrics. */
  const observer: Observer = {
    refusal(code, limitOf) {
      countError(code);
      if (limitOf) limited(1, limitOf);
    },
    callerRefused: (reason) => refused(1, reason),
    operation({
      kind = 'none',
      outcome,
      durationMs,
      savings: saved,
      name = 'none',
      isFromOperator,
      client,
      caller,
      codes: failed,
      errors: thrown,
    }) {
      operations(1, kind, outcome);
      operationSeconds(kind, durationMs);
      for (const [how, times] of Object.entries(saved)) if (times > 0) savings(times, how);
      countClient(client);
      callerOperations(1, callers(caller), outcome);
      if (isFromOperator) documentOperations(1, documents(name), outcome);
      for (const code of failed) countError(code);
      for (const limitOf of limitsOf(thrown)) limited(1, limitOf);
    },
    call({ name, target, caller, kind }) {
      const startedAtMs = performance.now();
      const { calls, seconds } = of[target];
      const end = (ended: string, isUnsent = false) => {
        if (caller !== undefined && kind !== undefined && !isUnsent)
          callerCalls(1, callers(caller), kind);
        calls(1, name, ended);
        seconds(name, performance.now() - startedAtMs);
      };
      return {
        end: ({ status }) => end(String(status)),
        fail: (error) =>
          end(endOf(error, target), error instanceof UpstreamError && error.isUnsent),
      };
    },
  };
  return { observer, watch, contentType: registry.contentType, text: () => registry.metrics() };
}

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  value: number;
}

type CollectedOptions = Pick<Gauge, 'name' | 'help' | 'type'> & {
  readonly labelNames: readonly string[];
};

/** Adds a metric whose samples are read at each scrape. */
function addCollected(
  registry: Registry,
  { type, ...options }: CollectedOptions,
  read: () => Iterable<Sample> | Promise<Iterable<Sample>>,
): void {
  const Metric = type === 'gauge' ? PrometheusGauge : Counter;
  const metric: PrometheusGauge<string> | Counter<string> = new Metric({
    ...options,
    registers: [registry],
    async collect() {
      const samples = await read();
      metric.reset();
      for (const { labels, value } of samples) metric.inc(labels, value);
    },
  });
}

type CounterOptions = Pick<Gauge, 'name' | 'help'> & {
  readonly first: string;
  readonly second: string | undefined;
};

/**
 * Creates a counter with one or two labels. It counts plain numbers, because the library's counters
 * check and hash the labels at each call.
 */
function createCounter(registry: Registry, { name, help, first, second }: CounterOptions) {
  const samples = new Map<string, Sample>();
  const labelNames = second === undefined ? [first] : [first, second];
  addCollected(registry, { name, help, type: 'counter', labelNames }, () => samples.values());
  return (times: number, one: string, other = ''): void => {
    const key = second === undefined ? one : `${one}\n${other}`;
    const known = samples.get(key);
    if (known) known.value += times;
    else
      samples.set(key, {
        labels: { [first]: one, ...(second && { [second]: other }) },
        value: times,
      });
  };
}

/**
 * Returns a function that passes through the first `MAX_VALUES` different values, and replaces all
 * others by `other`.
 */
function bounded(other: string): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.size < MAX_VALUES) known.add(value);
    return known.has(value) ? value : other;
  };
}

/** Returns the owners of the limits that an operation has reached, each once. */
const limitsOf = (errors: OperationReport['errors']): ReadonlySet<LimitOf> =>
  new Set(
    errors.flatMap(({ originalError }) =>
      originalError instanceof UpstreamError ? (originalError.limit?.of ?? []) : [],
    ),
  );

/** Returns a label for a call that ended without a response. */
function endOf(error: unknown, target: 'platform' | 'service'): string {
  if (!(error instanceof UpstreamError)) return target === 'platform' ? 'unknown' : 'failed';
  return target === 'platform' ? error.failure : 'aborted';
}
