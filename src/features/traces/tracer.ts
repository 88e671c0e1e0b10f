import { randomUUID } from 'node:crypto';
import {
  type Context,
  type DiagLogger,
  DiagLogLevel,
  defaultTextMapGetter,
  defaultTextMapSetter,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { isOneOf, UpstreamError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { CurrentRequest, Observer } from '../../core/observers.ts';

interface TracerOptions {
  /** The protocol of the export, a value of `OTEL_EXPORTER_OTLP_PROTOCOL`. */
  readonly protocol: 'http/protobuf' | 'http/json';
  /** The timeout of one export in milliseconds; `undefined` if the environment sets it. */
  readonly exportTimeoutMs: number | undefined;
  /** The version of the gateway. */
  readonly version: string;
  readonly log: Log;
}

/**
 * Creates the tracer, which records requests and calls as spans. OpenTelemetry's packages read
 * their own environment variables. Spans are sent in the background: a slow or unreachable receiver
 * loses spans, but delays no request. Of OpenTelemetry's global state, only the logger of its own
 * messages is set.
 *
 * Span names and attributes follow OpenTelemetry's conventions for GraphQL and HTTP. They contain
 * no path, query, header, value or person. A caller is a name of the configuration.
 */
export async function createTracer({ protocol, exportTimeoutMs, version, log }: TracerOptions) {
  const messages = toDiagLogger(log);
  diag.setLogger(messages.logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  const exporter = new OTLPTraceExporter(
    exportTimeoutMs === undefined ? {} : { timeoutMillis: exportTimeoutMs },
  );
  const provider = new BasicTracerProvider({
    // Other detectors add the host, the user and the arguments of the process.
    resource: defaultResource()
      .merge(
        resourceFromAttributes({
          'service.name': 'caseway',
          'service.version': version,
          'service.instance.id': randomUUID(),
        }),
      )
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(withWarning(exporter, log))],
  });
  const tracer = provider.getTracer('caseway', version);
  const propagator = new W3CTraceContextPropagator();
  const spans = new WeakMap<CurrentRequest, { readonly span: Span; readonly context: Context }>();

  const observer: Observer = {
    request(request, { requestId, headers, method }) {
      const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
      const attributes = {
        'http.request.method': method,
        'http.route': '/graphql',
        'url.path': '/graphql',
        'url.scheme': 'http',
        'caseway.request.id': requestId,
      };
      const span = tracer.startSpan(
        'GraphQL Operation',
        { kind: SpanKind.SERVER, attributes },
        parent,
      );
      spans.set(request, { span, context: trace.setSpan(parent, span) });
      return { traceId: span.spanContext().traceId };
    },
    operation({ name, kind, outcome, codes: [code], upstreamCalls, caller }, request) {
      const { span } = spans.get(request) ?? {};
      // Clients choose operation names. As span names, many different ones would be useless.
      if (kind !== undefined) span?.updateName(kind);
      span?.setAttributes({ 'graphql.operation.type': kind, 'graphql.operation.name': name });
      span?.setAttributes({ 'caseway.outcome': outcome, 'caseway.platform.calls': upstreamCalls });
      span?.setAttribute('caseway.caller', caller);
      if (code !== undefined) setError(span, String(code));
    },
    response(status, request) {
      const { span } = spans.get(request) ?? {};
      if (status !== undefined) span?.setAttribute('http.response.status_code', status);
      if (status === undefined || status >= 500) setError(span, String(status ?? 'CANCELLED'));
      span?.end();
    },
    call({ name, method, server: { address, port }, resends }, request) {
      const parent = (request && spans.get(request)?.context) ?? ROOT_CONTEXT;
      const attributes = {
        'http.request.method': method,
        'server.address': address,
        'server.port': port,
        ...(resends !== undefined && resends > 0 && { 'http.request.resend_count': resends }),
      };
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent);
      const headers: Record<string, string> = {};
      propagator.inject(trace.setSpan(parent, span), headers, defaultTextMapSetter);
      return {
        headers,
        end({ status }) {
          span.setAttribute('http.response.status_code', status);
          if (status >= 400) setError(span, String(status));
          span.end();
        },
        fail(error) {
          // A span that is not ended is not exported.
          if (error instanceof UpstreamError && error.isUnsent && isOneOf(REFUSED_HERE, error))
            return;
          setError(span, wordOf(error));
          span.end();
        },
      };
    },
  };

  messages.start();
  return {
    observer,
    /** Sends the recorded spans. Takes as long as one export at most. */
    async close(): Promise<void> {
      await provider.shutdown().catch(() => undefined);
      diag.disable();
    },
  };
}

/** Failures of calls that the gateway itself refused to send. */
const REFUSED_HERE = ['overloaded', 'rate-limited', 'unrecorded'] as const;

function setError(span: Span | undefined, type: string): void {
  span?.setAttribute('error.type', type);
  span?.setStatus({ code: SpanStatusCode.ERROR });
}

/** Returns an error type from a small set, never the message. */
function wordOf(error: unknown): string {
  if (error instanceof UpstreamError) return error.failure;
  return error instanceof Error ? error.name : 'unknown';
}

/**
 * Wraps an exporter. It logs once when spans begin to be lost, and once when they are sent again.
 */
function withWarning(exporter: SpanExporter, log: Log): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, ({ code, error }) => {
        const isFailed = code !== ExportResultCode.SUCCESS;
        if (isFailed && !isFailing)
          log.warn({ err: error }, 'traces cannot be sent; spans are lost');
        if (!isFailed && isFailing) log.info('traces are sent again');
        isFailing = isFailed;
        done({ code: ExportResultCode.SUCCESS });
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

const MINUTE_MS = 60_000;

/**
 * Returns a logger for OpenTelemetry's own messages. It leaves quoted values out, because they may
 * be secrets. While the tracer is set up, each message is about a variable and is logged. Afterwards
 * one message a minute is logged, with the number of messages left out since the one before.
 */
function toDiagLogger(log: Log): { readonly logger: DiagLogger; readonly start: () => void } {
  let isStarted = false;
  let nextAt = 0;
  let leftOut = 0;
  const warn = (message: string) => {
    const reason = message.slice(0, MAX_REASON).replace(/(['"]).*\1/s, '…');
    if (!isStarted) {
      log.warn({ reason }, 'OpenTelemetry is not set up as the environment says');
      return;
    }
    if (performance.now() < nextAt) {
      leftOut++;
      return;
    }
    log.warn({ reason, leftOut }, 'OpenTelemetry reports a problem with its spans');
    nextAt = performance.now() + MINUTE_MS;
    leftOut = 0;
  };
  const ignore = () => undefined;
  return {
    logger: { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    start() {
      isStarted = true;
    },
  };
}

/** The longest message of OpenTelemetry in the log, in characters. */
const MAX_REASON = 1_000;
