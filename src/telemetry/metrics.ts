import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Ways in which a read was answered without a whole answer of the platform's. */
type Saving = 'coalesced' | 'not_modified' | 'fresh' | 'stale';

/** An operation that was answered. */
export interface CountedOperation {
  /** `query` or `mutation`; absent where none was found. */
  readonly kind: string | undefined;
  readonly outcome: 'ok' | 'partial' | 'failed';
  readonly durationMs: number;
  readonly savings: Readonly<Record<Saving, number>>;
}

/** A request to the platform that has ended. */
export interface CountedCall {
  /** As the interface spells it. */
  readonly operation: string;
  /** The status, or why there was none. */
  readonly ended: string;
  readonly durationMs: number;
}

/**
 * The figures of one process, for Prometheus. What they are told by is chosen by us, from few words: no name, value, address
 * or caller's text can get in.
 */
export interface Metrics {
  operation(counted: CountedOperation): void;
  call(counted: CountedCall): void;
  /** Has a figure read whenever somebody looks. */
  watch(name: string, about: string, read: () => number): void;
  /** Resolves to all figures, in the text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Makes the figures of a process: what it is told, and how the process itself fares. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const operations = new Counter({
    registers,
    name: 'caseway_operations_total',
    help: 'GraphQL operations that were answered.',
    labelNames: ['kind', 'outcome'],
  });
  const operationSeconds = new Histogram({
    registers,
    name: 'caseway_operation_seconds',
    help: 'How long they took.',
    labelNames: ['kind'],
    buckets: SECONDS,
  });
  const savings = new Counter({
    registers,
    name: 'caseway_reads_saved_total',
    help: 'Reads that needed no whole answer of the platform: they joined a call, cost a 304, were fresh, or got an old copy.',
    labelNames: ['how'],
  });
  const calls = new Counter({
    registers,
    name: 'caseway_platform_calls_total',
    help: 'Requests to the platform, tokens included, by status or failure; what was rate-limited or overloaded was not sent.',
    labelNames: ['operation', 'ended'],
  });
  const callSeconds = new Histogram({
    registers,
    name: 'caseway_platform_call_seconds',
    help: 'How long they took.',
    labelNames: ['operation'],
    buckets: SECONDS,
  });

  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    operation({ kind = 'none', outcome, durationMs, savings: saved }) {
      operations.inc({ kind, outcome });
      operationSeconds.observe({ kind }, durationMs / 1_000);
      for (const [how, count] of Object.entries(saved)) if (count > 0) savings.inc({ how }, count);
    },
    call({ operation, ended, durationMs }) {
      calls.inc({ operation, ended });
      callSeconds.observe({ operation }, durationMs / 1_000);
    },
    watch(name, about, read) {
      const gauge: Gauge = new Gauge({ registers, name, help: about, collect: () => gauge.set(read()) });
    },
  };
}
