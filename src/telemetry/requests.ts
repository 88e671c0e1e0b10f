import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';

/** How log lines, errors and services behind the gateway name a request. */
export interface RequestIds {
  readonly requestId: string;
  /** The W3C trace's; absent where requests are not traced. */
  readonly traceId?: string;
}

/** A request for the graph, from its arrival to its answer. */
export interface CurrentRequest {
  readonly ids: RequestIds;
  /** Absent where requests are not traced. */
  readonly span?: RequestSpan;
  /** Tells authenticated callers apart; `undefined` for all others. */
  readonly caller?: string | undefined;
}

/** An HTTP call that leaves the gateway. */
export interface OutgoingCall {
  /** One of few, such as the name of an operation; never a path. */
  readonly name: string;
  readonly method: string;
  readonly server: ServerAddress;
  /** How many times the same call was sent before. */
  readonly resends?: number | undefined;
}

export interface ServerAddress {
  readonly address: string;
  readonly port: number;
}

/** Gives the server of an address. */
export function serverOf(url: string | URL): ServerAddress {
  const { protocol, hostname, port } = new URL(url);
  return { address: hostname, port: Number(port) || (protocol === 'https:' ? 443 : 80) };
}

export type OutgoingHeaders = Readonly<Record<string, string>>;

/** The current request of an asynchronous call chain. */
export interface Requests {
  begin(requestId: string, headers: IncomingHttpHeaders, method: string): CurrentRequest;
  /** Does the work of a request: calls that are made meanwhile are made on its behalf. */
  run<T>(request: CurrentRequest, work: () => T): T;
  /** The caller of the request that is worked on, if there is one. */
  caller(): string | undefined;
  /**
   * Makes an HTTP call on behalf of the request that is worked on, if there is one. `send` gets the headers that name it and
   * its trace.
   */
  call<T extends { readonly status: number }>(
    call: OutgoingCall,
    send: (headers: OutgoingHeaders) => Promise<T>,
  ): Promise<T>;
}

/** Records requests and calls as spans of traces. */
export interface Tracer {
  /** Begins the span of a request, in the trace that its headers name, or in a new one. */
  request(requestId: string, headers: IncomingHttpHeaders, method: string): RequestSpan;
  /** Begins the span of a call, in the trace of a request, or in one of its own. */
  call(call: OutgoingCall, request: RequestSpan | undefined): CallSpan;
  /** Sends what is recorded, within seconds. */
  close(): Promise<void>;
}

export interface RequestSpan {
  readonly traceId: string;
  /** Says which operation ran, and what became of it. */
  describe(operation: TracedOperation): void;
  /** @param status `undefined` where the client left before its answer. */
  end(status: number | undefined): void;
}

export interface TracedOperation {
  readonly name?: string | null | undefined;
  readonly kind?: string | undefined;
  readonly outcome: string;
  /** Of its errors. */
  readonly codes?: readonly unknown[] | undefined;
  readonly upstreamCalls: number;
}

interface CallSpan {
  /** What passes the trace on. */
  readonly headers: OutgoingHeaders;
  end(status: number): void;
  fail(error: unknown): void;
}

/** Follows requests through their work. */
export function createRequests(tracer: Tracer | undefined): Requests {
  const storage = new AsyncLocalStorage<CurrentRequest>();
  return {
    begin(requestId, headers, method) {
      if (tracer === undefined) return { ids: { requestId } };
      const span = tracer.request(requestId, headers, method);
      return { ids: { requestId, traceId: span.traceId }, span };
    },
    run: (request, work) => storage.run(request, work),
    caller: () => storage.getStore()?.caller,
    async call(call, send) {
      const request = storage.getStore();
      const headers = request && { 'x-request-id': request.ids.requestId };
      if (tracer === undefined) return send(headers ?? {});
      const span = tracer.call(call, request?.span);
      try {
        const answer = await send({ ...headers, ...span.headers });
        span.end(answer.status);
        return answer;
      } catch (error) {
        span.fail(error);
        throw error;
      }
    },
  };
}
