import { AsyncLocalStorage } from 'node:async_hooks';

/** How log lines, errors and services behind the gateway name a request. */
export interface RequestIds {
  readonly requestId: string;
}

/** A call that leaves the gateway by HTTP gets these headers. */
export type OutgoingHeaders = Readonly<Record<string, string>>;

/** Which request the process works on, wherever in its work that is asked. */
export interface Requests {
  /** Does the work of one request: calls that are made meanwhile are made on its behalf. */
  run<T>(ids: RequestIds, work: () => T): T;
  /** Makes an HTTP call on behalf of the request that is worked on, if there is one; `send` gets the headers that name it. */
  call<T>(send: (headers: OutgoingHeaders) => Promise<T>): Promise<T>;
}

/** Follows requests through their work. */
export function createRequests(): Requests {
  const storage = new AsyncLocalStorage<RequestIds>();
  return {
    run: (ids, work) => storage.run(ids, work),
    call(send) {
      const ids = storage.getStore();
      return send(ids === undefined ? {} : { 'x-request-id': ids.requestId });
    },
  };
}
