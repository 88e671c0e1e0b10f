import { LRUCache } from 'lru-cache';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Ways in which a read was answered without a full response of the platform. */
type Saving = 'coalesced' | 'not_modified' | 'fresh' | 'stale';

/** How a client calls itself; bounded in length. */
export interface ClientName {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}

/** An operation that was answered. */
export interface CountedOperation {
  /** `query` or `mutation`; absent where none was found. */
  readonly kind: string | undefined;
  readonly outcome: 'ok' | 'partial' | 'failed';
  readonly durationMs: number;
  readonly savings: Readonly<Record<Saving, number>>;
  readonly client: ClientName;
  /** The codes of its errors, each once. */
  readonly codes: readonly unknown[];
}

/** A request to the platform that has ended. */
export interface CountedCall {
  /** As the interface spells it. */
  readonly operation: string;
  /** The status, or the failure where there was none. */
  readonly ended: string;
  readonly durationMs: number;
}

/** A call of an extension to another service that has ended. */
export interface CountedExtensionCall {
  /** Its file. */
  readonly extension: string;
  /** The status; `failed` or `aborted` where there was none. */
  readonly ended: string;
  readonly durationMs: number;
}

/**
 * The metrics of one process, for Prometheus. Their labels are ours and few: no name, value, address or caller's text can
 * get in, but for the first names that clients give themselves.
 */
export interface Metrics {
  operation(counted: CountedOperation): void;
  /** Counts a request that was refused before an operation ran, by the code that its client got. */
  refusal(code: string): void;
  call(counted: CountedCall): void;
  extensionCall(counted: CountedExtensionCall): void;
  /** Counts a form whose name in the graph has changed because a new form claims it. */
  renamedForm(): void;
  /** Adds a gauge that is read at each scrape. */
  watch(name: string, help: string, read: () => number): void;
  /** The last failures, each kind once, the latest first. */
  failures(): readonly Failure[];
  totals(): Promise<Totals>;
  /** Resolves to all metrics, in the text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** A kind of failure, and when it came last. */
export interface Failure {
  /** What failed: an answer, by its code, or a call, by its operation and how that ended. */
  readonly what: 'answer' | 'call' | 'extension';
  /** The REST operation, or the extension's file; empty for an answer. */
  readonly operation: string;
  /** A code, a status, or a failure. */
  readonly ended: string;
  readonly count: number;
  readonly lastAtMs: number;
}

/** What was counted since startup. */
export interface Totals {
  readonly operations: number;
  /** To the platform, those that were sent. */
  readonly calls: number;
  /** Reads without a full response. */
  readonly saved: Readonly<Record<string, number>>;
}

/** So many kinds of failures are remembered; the one that was longest ago goes first. */
const MAX_FAILURES = 50;
/** So many codes have figures of their own, those of extensions among them; all later ones are `OTHER`. */
const MAX_CODES = 100;
/** So many clients, by name and version, have figures of their own; all later ones are `other`. */
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
  const failures = new LRUCache<string, Failure>({ max: MAX_FAILURES });
  const fail = (what: Failure['what'], operation: string, ended: string): void => {
    const key = `${what} ${operation} ${ended}`;
    const count = (failures.get(key)?.count ?? 0) + 1;
    failures.set(key, { what, operation, ended, count, lastAtMs: Date.now() });
  };
  const countError = (code: unknown): void => {
    const name = String(code);
    fail('answer', '', name);
    if (codes.size < MAX_CODES) codes.add(name);
    errors.inc({ code: codes.has(name) ? name : 'OTHER' });
  };
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
  const renamedForms = new Counter({
    registers,
    name: 'caseway_renamed_forms_total',
    help: 'Number of forms whose names in the graph changed because a new form claims them; the log has the alias that restores each name.',
  });

  const watch: Metrics['watch'] = (name, help, read) => {
    const gauge: Gauge = new Gauge({ registers, name, help, collect: () => gauge.set(read()) });
  };
  watchProcess(watch);

  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    operation({ kind = 'none', outcome, durationMs, savings: saved, client, codes: failed }) {
      operations.inc({ kind, outcome });
      operationSeconds.observe({ kind }, durationMs / 1_000);
      for (const [how, count] of Object.entries(saved)) if (count > 0) savings.inc({ how }, count);
      countClient(client);
      for (const code of failed) countError(code);
    },
    refusal: countError,
    call({ operation, ended, durationMs }) {
      calls.inc({ operation, ended });
      callSeconds.observe({ operation }, durationMs / 1_000);
      if (isFailed(ended)) fail('call', operation, ended);
    },
    extensionCall({ extension, ended, durationMs }) {
      extensionCalls.inc({ extension, ended });
      extensionCallSeconds.observe({ extension }, durationMs / 1_000);
      if (isFailed(ended)) fail('extension', extension, ended);
    },
    renamedForm: () => renamedForms.inc(),
    watch,
    failures: () => [...failures.values()],
    async totals() {
      const [ofOperations, ofCalls, ofSavings] = await Promise.all([operations.get(), calls.get(), savings.get()]);
      const sumOf = (values: readonly { readonly value: number }[]) =>
        values.reduce((sum, { value }) => sum + value, 0);
      const sent = ofCalls.values.filter(({ labels }) => !UNSENT.includes(labels.ended));
      return {
        operations: sumOf(ofOperations.values),
        calls: sumOf(sent),
        saved: Object.fromEntries(ofSavings.values.map(({ labels, value }) => [String(labels.how), value])),
      };
    },
  };
}

/** How calls end that never left the gateway. */
const UNSENT: readonly unknown[] = ['overloaded', 'rate-limited', 'unclaimed'];

/** Whether a call ended without an answer, or with an error. */
const isFailed = (ended: string): boolean => !(Number(ended) < 400);

/** Named as prom-client names them; its own ones keep a histogram of the event loop going, which costs an idle process. */
function watchProcess(watch: Metrics['watch']): void {
  const startedAtSeconds = Math.round(performance.timeOrigin / 1_000);
  let utilization = performance.eventLoopUtilization();
  const utilizationSinceLast = () => {
    const now = performance.eventLoopUtilization();
    const { utilization: share } = performance.eventLoopUtilization(now, utilization);
    utilization = now;
    return share;
  };

  watch('process_start_time_seconds', 'Start time of the process since the Unix epoch.', () => startedAtSeconds);
  watch('process_cpu_seconds_total', 'CPU time in seconds.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  watch('process_resident_memory_bytes', 'Resident memory in bytes.', () => process.memoryUsage.rss());
  watch('nodejs_heap_size_total_bytes', 'Size of the heap in bytes.', () => process.memoryUsage().heapTotal);
  watch('nodejs_heap_size_used_bytes', 'Used heap in bytes.', () => process.memoryUsage().heapUsed);
  watch('nodejs_external_memory_bytes', 'Memory outside the heap in bytes.', () => process.memoryUsage().external);
  watch(
    'nodejs_eventloop_utilization',
    'Share of time in which the event loop was busy since the last scrape.',
    utilizationSinceLast,
  );
}
