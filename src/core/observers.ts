import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import type { GraphQLError } from 'graphql';

import type { LimitOf } from './errors.ts';

/** The ids of a request in log lines, in errors, and in calls to other services. */
export interface RequestIds {
  readonly requestId: string;
  /** The id of the W3C trace. Absent if requests are not traced. */
  readonly traceId?: string;
}

/** A request for the graph, from its arrival to its response. */
export interface CurrentRequest {
  readonly ids: RequestIds;
  /** Set when the caller is authenticated. */
  who?: Sender;
  /** Whether its operation is still at work. */
  isRunning?: boolean;
  /** How its response ended, if that was before the end of the work. */
  endedEarly?: { readonly status: number | undefined };
}

/** A request for the graph that has just arrived. */
interface Arrival {
  readonly requestId: string;
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
}

/** The name that the client gives itself. Its length is bounded. */
export interface ClientName {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}

/** The ways to serve a read without a full response of the platform. */
type Saving = 'coalesced' | 'not_modified' | 'fresh' | 'stale';

/** The sender of a request, for log lines, metrics and the audit. */
interface Sender {
  /** The caller's name in metrics, for example of an API key or a role. */
  readonly caller: string;
  /** The signed-in user, if known. */
  readonly subject: string | undefined;
}

/** A completed operation. */
export interface OperationReport extends Sender {
  /** The operation's name in the document. Its length is bounded. */
  readonly name: string | undefined;
  /** `undefined` if the request contains no valid operation. */
  readonly kind: string | undefined;
  /** `partial` if some fields failed, `failed` if there is no data. */
  readonly outcome: 'ok' | 'partial' | 'failed';
  /** The distinct codes of its errors. */
  readonly codes: readonly unknown[];
  /** The errors before they are formatted for the client. */
  readonly errors: readonly GraphQLError[];
  readonly client: ClientName;
  /** Whether its document is a trusted one, so that the operator chose its name. */
  readonly isFromOperator: boolean;
  readonly durationMs: number;
  /** The number of calls to the platform. */
  readonly upstreamCalls: number;
  /** The number of calls to other services. */
  readonly extensionCalls: number;
  readonly savings: Readonly<Record<Saving, number>>;
}

/** An HTTP request from the gateway to another server. */
interface OutgoingCall {
  /** A name from a small set, such as an operation's name. Never a path. */
  readonly name: string;
  /** Whether the call goes to the platform or to another service. */
  readonly target: 'platform' | 'service';
  readonly method: string;
  readonly server: ServerAddress;
  /** The number of earlier attempts of this call. */
  readonly resends?: number | undefined;
  /**
   * For calls to the platform: the caller's name in the configuration. `kind` is for example `read`
   * or `token`.
   */
  readonly caller?: string;
  readonly kind?: string;
}

/** The server of a call. */
interface ServerAddress {
  readonly address: string;
  readonly port: number;
}

/** Returns the host and port of a URL. */
export function serverOf(url: string | URL): ServerAddress {
  const { protocol, hostname, port } = new URL(url);
  const defaultPort = protocol === 'https:' ? 443 : 80;
  return { address: hostname, port: Number(port) || defaultPort };
}

type OutgoingHeaders = Readonly<Record<string, string>>;

/** Observes the end of a call or a change. */
interface EndObserver<T> {
  end(result: T): void;
  fail(error: unknown): void;
}

/** Observes a call. It ends with its response, whatever the status. */
interface CallObserver extends EndObserver<{ readonly status: number }> {
  /** Additional headers for the call. */
  readonly headers?: OutgoingHeaders;
}

/** The origin of a change. */
export interface ChangeOrigin {
  /** The kind of request, if it is not GraphQL over HTTP. */
  readonly way?: string;
  /** The item's position in a bulk write. */
  readonly item?: number;
  /** The file of the extension that makes the change. */
  readonly extension?: string;
  /** The client's idempotency key. For an item of a bulk write, the key of the whole write. */
  readonly key?: string | undefined;
}

/** An action that the caller's permissions do not include. */
export interface Denial extends Partial<Sender> {
  readonly role: string;
  /** A name from a small set, such as a verb. */
  readonly what: string;
  /** Absent if the gateway does not know the form. */
  readonly formId?: string | undefined;
}

/** A change of the platform by an operation. */
export interface OutgoingChange extends ChangeOrigin, Sender {
  /** The name of the GraphQL operation. */
  readonly name: OperationReport['name'];
  readonly client: ClientName;
  readonly ids: RequestIds;
  /** The role that permits the change. Absent if callers have no roles. */
  readonly role?: string | undefined;
  /** The operation's name in the interface, with its spelling. */
  readonly operation: string;
  /** The input of the generic mutation, with the platform's ids. */
  readonly input: object;
}

/** Observes a change. It ends with the result of its resolver. */
interface ChangeObserver extends EndObserver<unknown> {
  /**
   * Runs right before the first byte is sent. `attempt` is 1 for the first attempt. If it throws,
   * the change is not sent and fails.
   */
  beforeSend(attempt: number): void;
}

/**
 * Counts, logs or records the gateway's work. An observer changes nothing, with one exception: if
 * `beforeSend` throws, the change is not sent.
 */
export interface Observer {
  /**
   * Runs when a request for the graph arrives.
   *
   * @returns the id of its trace.
   */
  request?(request: CurrentRequest, arrival: Arrival): { readonly traceId: string };
  /**
   * Runs when a request is refused before execution. `code` is the client's error code. `limitOf`
   * is the owner of the exceeded limit.
   */
  refusal?(code: string, limitOf?: LimitOf): void;
  /**
   * Runs when authentication fails. `reason` is from a small set, for operators only. By default
   * the ids are from the current request.
   */
  callerRefused?(reason: string, ids?: RequestIds): void;
  /** Runs when an operation is complete. */
  operation?(report: OperationReport, request: CurrentRequest): void;
  /**
   * The response was sent and the work has ended; `undefined` if the client left before. It is the
   * last report of a request without a stream.
   */
  response?(status: number | undefined, request: CurrentRequest): void;
  /**
   * Runs right before a call leaves the gateway. `request` is `undefined` for the gateway's own
   * calls.
   */
  call?(call: OutgoingCall, request: CurrentRequest | undefined): CallObserver;
  /** Runs before a change. */
  change?(change: OutgoingChange): ChangeObserver;
  /** The work of a request has ended; of a stream, its first run. Called once for a request. */
  ended?(request: CurrentRequest): void;
  /** A request has ended in which its caller was denied something `count` times. */
  denied?(first: Denial, count: number, ids: RequestIds): void;
}

/** Calls all observers. Keeps the request of each asynchronous call chain. */
export interface Observers {
  /** Whether an observer handles responses. */
  readonly hasResponse: boolean;
  /** Adds an observer. Observers run in the order in which they were added. */
  add(observer: Observer): void;
  /** Creates a request that has just arrived. */
  begin(arrival: Arrival): CurrentRequest;
  /** Runs the work of a request. `current` returns this request within that work. */
  run<T>(request: CurrentRequest, requestState: () => T): T;
  /** Returns the request of the current call chain. `undefined` outside a request. */
  current(): CurrentRequest | undefined;
  /** Reports a request that is refused before execution. */
  refusal(code: string, limitOf?: LimitOf): void;
  /** Reports a failed authentication. By default the ids are from the current request. */
  callerRefused(reason: string, ids?: RequestIds): void;
  /** Reports that a caller was denied something `count` times in one request. */
  denied(first: Denial, count: number, ids: RequestIds): void;
  /** Reports the end of a request's work, of a stream its first run. Call it once. */
  ended(request: CurrentRequest): void;
  /** Reports a complete operation. */
  operation(report: OperationReport, request: CurrentRequest): void;
  /** Reports the end of a response. Observers get it after the report of the operation. */
  response(status: number | undefined, request: CurrentRequest): void;
  /**
   * Sends a call for the current request, if there is one. `send` receives headers with the ids of
   * the request and its trace.
   */
  call<T extends { readonly status: number }>(
    call: OutgoingCall,
    send: (headers: OutgoingHeaders) => Promise<T>,
  ): Promise<T>;
  /** Runs a change. `make` must call its argument right before each attempt to send. */
  change<T>(
    change: OutgoingChange,
    make: (beforeSend: ChangeObserver['beforeSend']) => Promise<T>,
  ): Promise<T>;
}

/** Creates an empty set of observers for one gateway. */
export function createObservers(): Observers {
  const observers: Observer[] = [];
  const storage = new AsyncLocalStorage<CurrentRequest>();

  return {
    get hasResponse() {
      return observers.some(({ response }) => response !== undefined);
    },
    add: (observer) => void observers.push(observer),
    begin(arrival) {
      const { requestId } = arrival;
      const request: { ids: RequestIds } = { ids: { requestId } };
      for (const observer of observers) {
        const trace = observer.request?.(request, arrival);
        if (trace) request.ids = { requestId, ...trace };
      }
      return request;
    },
    run(request, requestState) {
      request.isRunning = true;
      return storage.run(request, requestState);
    },
    current: () => storage.getStore(),
    refusal(code, limitOf) {
      for (const observer of observers) observer.refusal?.(code, limitOf);
    },
    callerRefused(reason, ids = storage.getStore()?.ids) {
      for (const observer of observers) observer.callerRefused?.(reason, ids);
    },
    denied(first, count, ids) {
      for (const observer of observers) observer.denied?.(first, count, ids);
    },
    ended(request) {
      const { endedEarly } = request;
      request.isRunning = false;
      for (const observer of observers) observer.ended?.(request);
      if (!endedEarly) return;
      for (const observer of observers) observer.response?.(endedEarly.status, request);
    },
    operation(report, request) {
      for (const observer of observers) observer.operation?.(report, request);
    },
    response(status, request) {
      if (request.isRunning) {
        request.endedEarly = { status };
        return;
      }
      for (const observer of observers) observer.response?.(status, request);
    },
    call(call, send) {
      const request = storage.getStore();
      const callObservers: CallObserver[] = [];
      const headers: Record<string, string> = {};
      if (request) headers['x-request-id'] = request.ids.requestId;
      for (const observer of observers) {
        const callObserver = observer.call?.(call, request);
        if (callObserver === undefined) continue;
        callObservers.push(callObserver);
        Object.assign(headers, callObserver.headers);
      }
      return reportEnd(send(headers), callObservers);
    },
    change(change, make) {
      const changeObservers: ChangeObserver[] = [];
      for (const observer of observers) {
        const changeObserver = observer.change?.(change);
        if (changeObserver) changeObservers.push(changeObserver);
      }
      const made = make((attempt) => {
        for (const changeObserver of changeObservers) changeObserver.beforeSend(attempt);
      });
      return reportEnd(made, changeObservers);
    },
  };
}

/** Reports the end of a call or a change to its observers. */
function reportEnd<T>(
  sent: Promise<T>,
  endObservers: readonly EndObserver<NoInfer<T>>[],
): Promise<T> {
  if (endObservers.length === 0) return sent;
  return sent.then(
    (result) => {
      for (const endObserver of endObservers) endObserver.end(result);
      return result;
    },
    (error: unknown) => {
      for (const endObserver of endObservers) endObserver.fail(error);
      throw error;
    },
  );
}
