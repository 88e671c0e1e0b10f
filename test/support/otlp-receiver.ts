import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

import { listen } from './listen.ts';

/** A received span, with plain attributes. */
interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly kind: 'server' | 'client';
  readonly isError: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The attributes of the process. */
  readonly resource: Readonly<Record<string, unknown>>;
}

/**
 * Starts a receiver of OTLP over HTTP with JSON. It closes when the test ends.
 *
 * @param isSilent whether it accepts requests and never responds.
 */
export async function startOtlpReceiver({ isSilent = false } = {}) {
  const requests: { readonly path: string; readonly type: string; readonly body: Buffer }[] = [];
  const server = createServer(async (request, response) => {
    const sent = await buffer(request);
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    requests.push({ path: request.url ?? '', type: request.headers['content-type'] ?? '', body });
    if (!isSilent) response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  const url = await listen(server);
  return { url, requests, spans: () => requests.flatMap(({ body }) => decode(String(body))) };
}

/** The parts of OTLP/JSON that are read. */
interface Traces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly status: { readonly code?: number };
  readonly attributes: readonly Attribute[];
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

const SERVER = 2;
const ERROR = 2;

function decode(text: string): SentSpan[] {
  const found: SentSpan[] = [];
  const { resourceSpans } = JSON.parse(text) as Traces;
  for (const { resource, scopeSpans } of resourceSpans) {
    for (const { kind, status, ...span } of scopeSpans.flatMap(({ spans }) => spans)) {
      found.push({
        name: span.name,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId || undefined,
        kind: kind === SERVER ? 'server' : 'client',
        isError: status.code === ERROR,
        attributes: toPlain(span.attributes),
        resource: toPlain(resource.attributes),
      });
    }
  }
  return found;
}

const toPlain = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
