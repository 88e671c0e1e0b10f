import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import type { GraphQLError } from 'graphql';

import type { LimitOf } from './errors.ts';

/** How log lines, errors and services behind the gateway name a request. */
export interface RequestIds {
  readonly requestId: string;
  /** The W3C trace's; absent where requests are not traced. */
  readonly traceId?: string;
}

/** A request for the graph, from its arrival to its response. */
export interface CurrentRequest {
  readonly ids: RequestIds;
  /** Known once the caller is authenticated. */
  who?: Pick<OperationReport, 'caller' | 'subject'>;
  /** Whether its operation is still at work. */
  isRunning?: boolean;
  /** How its response ended, if that was before the end of the work. */
  endedEarly?: { readonly status: number | undefined };
  /** What it was denied first, and how often it was denied anything. */
  denied?: { readonly first: Denial; count: number };
}

/** A request for the graph that has just arrived. */
interface Arrival {
  readonly requestId: string;
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
}

/** How a client calls itself; bounded in length. */
export interface ClientName {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}

/** Ways in which a read was answered without a full response of the platform. */
type Saving = 'coalesced' | 'not_modified' | 'fresh' | 'stale';

/** An operation that was answered. */
export interface OperationReport {
  /** The client's name for it; bounded in length. */
  readonly name: string | undefined;
  /** `undefined` where no operation was found. */
  readonly kind: string | undefined;
  /** `partial` where some fields failed, `failed` where there is no data at all. */
  readonly outcome: 'ok' | 'partial' | 'failed';
  /** The codes of its errors, each once. */
  readonly codes: readonly unknown[];
  /** As they were thrown. */
  readonly errors: readonly GraphQLError[];
  readonly client: ClientName;
  /** By a name of the configuration; the subject is who it is, where that is known. */
  readonly caller: string;
  readonly subject: string | undefined;
  readonly durationMs: number;
  /** Calls to the platform. */
  readonly upstreamCalls: number;
  /** Calls to other services. */
  readonly extensionCalls: number;
  readonly savings: Readonly<Record<Saving, number>>;
}

/** An HTTP call that leaves the gateway. */
interface OutgoingCall {
  /** One of few, such as the name of an operation; never a path. */
  readonly name: string;
  /** Whether it goes to the platform, or to another service. */
  readonly target: 'platform' | 'service';
  readonly method: string;
  readonly server: ReturnType<typeof serverOf>;
  /** How many times the same call was sent before. */
  readonly resends?: number | undefined;
  /** Of a call to the platform: whose it is, by a name of the configuration, and its kind, such as `read` or `token`. */
  readonly caller?: string;
  readonly kind?: string;
}

/** Gives the server of an address. */
export function serverOf(url: string | URL) {
  const { protocol, hostname, port } = new URL(url);
  return { address: hostname, port: Number(port) || (protocol === 'https:' ? 443 : 80) };
}

type OutgoingHeaders = Readonly<Record<string, string>>;

/** Is told how a call or a change ends. */
interface EndObserver<T> {
  end(result: T): void;
  fail(error: unknown): void;
}

/** A call ends with its response, whatever its status. */
interface CallObserver extends EndObserver<{ readonly status: number }> {
  /** Sent with the call. */
  readonly headers?: OutgoingHeaders;
}

/** Where a change comes from. */
export interface ChangeOrigin {
  /** How its operation was requested, where that is not GraphQL over HTTP. */
  readonly way?: string;
  /** Its position in a bulk write. */
  readonly item?: number;
  /** The file of the extension that makes it. */
  readonly extension?: string;
  /** The client's idempotency key; that of the whole for a part of a bulk write. */
  readonly key?: string | undefined;
}

/** Something that the rights of a caller did not allow. */
export interface Denial extends Partial<Pick<OperationReport, 'caller' | 'subject'>> {
  readonly role: string;
  /** One of few, such as a verb. */
  readonly what: string;
  /** Absent where it is none that the gateway knows. */
  readonly formId?: string | undefined;
}

/** A change of the platform that an operation makes. */
export interface OutgoingChange
  extends ChangeOrigin,
    Pick<OperationReport, 'name' | 'client' | 'caller' | 'subject'> {
  readonly ids: RequestIds;
  /** By which the caller may; absent where callers have none. */
  readonly role?: string | undefined;
  /** As the interface spells it. */
  readonly operation: string;
  /** That of the generic mutation, with the platform's ids. */
  readonly input: object;
}

/** A change ends with what its resolver gets. */
interface ChangeObserver extends EndObserver<unknown> {
  /** The first byte is about to be sent, for the first or a later time, from 1 on. What it throws ends the change as not sent. */
  beforeSend(attempt: number): void;
}

/**
 * Watches the gateway at work. What it is told of is its own to count, log or record. It changes nothing, but that a change may not be
 * sent where it cannot do what comes before.
 */
export interface Observer {
  /** A request for the graph has arrived. @returns what names it in a trace. */
  request?(request: CurrentRequest, arrival: Arrival): { readonly traceId: string };
  /** A request has been refused before an operation ran, with the code that its client gets, and whose limit it exceeds. */
  refusal?(code: string, limitOf?: LimitOf): void;
  /** A caller was not let in, for one of few reasons that only operators read. The ids are those of the current request where none are given. */
  callerRefused?(reason: string, ids?: RequestIds): void;
  /** An operation has been answered. */
  operation?(report: OperationReport, request: CurrentRequest): void;
  /**
   * The response was sent and the work has ended; `undefined` if the client left before. It is the
   * last report of a request without a stream.
   */
  response?(status: number | undefined, request: CurrentRequest): void;
  /** A call is about to leave the gateway, for a request unless it is the gateway's own. */
  call?(call: OutgoingCall, request: CurrentRequest | undefined): CallObserver;
  /** A change is about to be made. */
  change?(change: OutgoingChange): ChangeObserver;
  /** The work of a request has ended, in which its caller was denied something so often. Told once for a request. */
  denied?(first: Denial, count: number, ids: RequestIds): void;
}

/** Tells all observers, and knows the request of an asynchronous call chain. */
export type Observers = ReturnType<typeof createObservers>;

/** Makes the observers of one gateway. There are none yet. */
export function createObservers() {
  const observers: Observer[] = [];
  const storage = new AsyncLocalStorage<CurrentRequest>();
  const tell = (each: (observer: Observer) => void): void => {
    for (const observer of observers) each(observer);
  };

  return {
    /** Whether anybody is told of responses. */
    get hasResponse(): boolean {
      return observers.some(({ response }) => response !== undefined);
    },
    /** Adds one. Observers are told in the order in which they were added. */
    add: (observer: Observer) => void observers.push(observer),
    begin(arrival: Arrival): CurrentRequest {
      const { requestId } = arrival;
      const request: { ids: RequestIds } = { ids: { requestId } };
      for (const observer of observers) {
        const named = observer.request?.(request, arrival);
        if (named) request.ids = { requestId, ...named };
      }
      return request;
    },
    /** Does the work of a request: calls that are made meanwhile are made on its behalf. */
    run<T>(request: CurrentRequest, work: () => T): T {
      request.isRunning = true;
      return storage.run(request, work);
    },
    /** The request of the current call chain, if there is one. */
    current: () => storage.getStore(),
    refusal: (code: string, limitOf?: LimitOf) =>
      tell((observer) => observer.refusal?.(code, limitOf)),
    callerRefused: (reason: string, ids = storage.getStore()?.ids) =>
      tell((observer) => observer.callerRefused?.(reason, ids)),
    /** Counts what the current request is denied, of which observers are told by `ended`. */
    denied(denial: Denial): void {
      const request = storage.getStore();
      if (request === undefined) return;
      request.denied ??= { first: { ...denial, ...request.who }, count: 0 };
      request.denied.count++;
    },
    /** The work of a request has ended; of a stream, its first run. To be called once. */
    ended(request: CurrentRequest): void {
      const { denied, ids, endedEarly } = request;
      request.isRunning = false;
      if (denied) tell((observer) => observer.denied?.(denied.first, denied.count, ids));
      if (endedEarly) tell((observer) => observer.response?.(endedEarly.status, request));
    },
    operation: (report: OperationReport, request: CurrentRequest) =>
      tell((observer) => observer.operation?.(report, request)),
    /** The response has ended. Observers get it after the report of the operation. */
    response(status: number | undefined, request: CurrentRequest): void {
      if (request.isRunning) request.endedEarly = { status };
      else tell((observer) => observer.response?.(status, request));
    },
    /** Makes a call on behalf of the current request, if there is one. `send` gets the headers that name it and its trace. */
    call<T extends { readonly status: number }>(
      call: OutgoingCall,
      send: (headers: OutgoingHeaders) => Promise<T>,
    ): Promise<T> {
      const request = storage.getStore();
      const watching = observers.flatMap((observer) => observer.call?.(call, request) ?? []);
      const headers: Record<string, string> = {};
      if (request) headers['x-request-id'] = request.ids.requestId;
      for (const observed of watching) Object.assign(headers, observed.headers);
      const sent = send(headers);
      return watching.length === 0 ? sent : tellEnd(sent, watching);
    },
    /** Makes a change. `make` gets what is to be called right before each time that it is sent. */
    change<T>(
      change: OutgoingChange,
      make: (beforeSend: ChangeObserver['beforeSend']) => Promise<T>,
    ): Promise<T> {
      const watching = observers.flatMap((observer) => observer.change?.(change) ?? []);
      const made = make((attempt) => {
        for (const observed of watching) observed.beforeSend(attempt);
      });
      return watching.length === 0 ? made : tellEnd(made, watching);
    },
  };
}

const tellEnd = <T>(sent: Promise<T>, watching: readonly EndObserver<NoInfer<T>>[]): Promise<T> =>
  sent.then(
    (result) => {
      for (const observed of watching) observed.end(result);
      return result;
    },
    (error: unknown) => {
      for (const observed of watching) observed.fail(error);
      throw error;
    },
  );
