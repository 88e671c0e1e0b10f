import { messageOf, UpstreamError } from '../../core/errors.ts';
import { type Json, parseJson } from '../../core/json.ts';
import type { Log } from '../../core/log.ts';
import { MEMORY_PER_BYTE } from '../answer.ts';
import { type Call, type HttpResponse, headersOf, type Interceptor, isRead } from '../call.ts';
import { ID_NAMES, type SomeIds } from '../records.ts';
import type { ListQuery } from '../search.ts';
import type { Adapter, AdapterCall, AdapterResponse } from './adapter.ts';
import { AdapterFault, readRequestChange, readResponseChange } from './changes.ts';
import type { LoadedAdapter } from './load.ts';

interface AdaptOptions {
  /** The variant of the interface. It decides on the headers. */
  readonly variant: 'A' | 'B';
  readonly log: Log;
  /** In production the log omits the messages of thrown errors, because they may quote a value. */
  readonly isProduction: boolean;
}

/**
 * Creates the last step before the HTTP client. The adapter changes each request of a call, and
 * each response except a 304.
 */
export function createAdapt(adapter: LoadedAdapter, options: AdaptOptions): Interceptor {
  const { variant, log, isProduction } = options;
  const { request: changeRequest, response: changeResponse } = adapter;

  /** Logs an error of the adapter, and returns the failure of the call. */
  const fail = (hook: keyof Adapter, call: Call, cause: unknown, status?: number) => {
    const { operation } = call;
    const place = `${hook} of ${operation}`;
    const message = messageOf(cause);
    const isFault = cause instanceof AdapterFault;
    const reason = isFault || !isProduction ? message : undefined;
    log.warn({ file: adapter.name, place, reason, err: cause }, 'the adapter failed');

    const isUnsent = hook === 'request';
    const failure = isUnsent || isRead(call) ? 'malformed' : 'outcome-unknown';
    const problem = isFault ? message : 'it threw an error, which the log has';
    const advice = `The adapter ${adapter.name} failed in ${place}: ${problem}.`;
    const details = { operation, status, advice, cause, isUnsent, isFinal: true };
    return new UpstreamError(failure, details);
  };

  const adaptRequest = (call: Call, seen: AdapterCall): Call => {
    if (changeRequest === undefined) return call;

    try {
      const { path, body } = readRequestChange(changeRequest(seen), seen, call);
      const { 'content-type': _, ...others } = call.headers;
      const headers = { ...others, ...headersOf(variant, body !== undefined) };
      return { ...call, path, headers, body };
    } catch (cause) {
      throw fail('request', call, cause);
    }
  };

  const adaptResponse = (
    call: Call,
    seenCall: AdapterCall,
    received: HttpResponse,
  ): HttpResponse => {
    if (changeResponse === undefined || received.status === 304) return received;

    const seen = describeResponse(call, received);
    let adapted: HttpResponse;
    try {
      adapted = readResponseChange(changeResponse(seenCall, seen), seen, received.text);
    } catch (cause) {
      throw fail('response', call, cause, received.status);
    }
    admit(call, received, adapted.text.length - received.text.length);
    return { ...adapted, sentHeaders: received.sentHeaders };
  };

  return (next) => async (call) => {
    const seen = describeCall(call);
    const request = adaptRequest(call, seen);
    try {
      return adaptResponse(call, seen, await next(request));
    } finally {
      // Earlier steps read it from the original call.
      call.startedAtMs = request.startedAtMs;
    }
  };
}

/** Describes a call to the adapter with frozen copies. */
function describeCall({ operation, method, path, body, args }: Call): AdapterCall {
  const [address = '', query] = path.split('?', 2);
  const given = (args ?? {}) as Partial<SomeIds & ListQuery>;
  const { where, orderBy, pageNumber = 1, perPage } = given;
  const ids = ID_NAMES.filter((name) => given[name] !== undefined);
  return deepFreeze({
    operation,
    method,
    ids: Object.fromEntries(ids.map((name) => [name, given[name]])),
    list: where && structuredClone({ where, orderBy, pageNumber, perPage }),
    path: address.split('/').slice(1).map(decodeURIComponent),
    query: Object.fromEntries(new URLSearchParams(query)),
    body: body === undefined ? undefined : parseJson(body),
  }) as AdapterCall;
}

/** Describes a response to the adapter, without its token. */
function describeResponse(call: Call, response: HttpResponse): AdapterResponse {
  const { authorization: _, ...headers } = response.headers;
  return deepFreeze({ status: response.status, headers, body: parseBody(call, response) });
}

/** Parses the body of a response. Returns `undefined` if it is not JSON. */
function parseBody(call: Call, response: HttpResponse): Json | undefined {
  const { text } = response;
  try {
    return parseJson(text, (bytes) => admit(call, response, bytes / MEMORY_PER_BYTE - text.length));
  } catch (error) {
    if (error instanceof UpstreamError) throw error;
    return undefined;
  }
}

/**
 * Counts the bytes of a response beyond its received text.
 *
 * @throws {UpstreamError} if there are too many.
 */
function admit(call: Call, { status }: HttpResponse, bytes: number): void {
  const failure = call.requestState?.received(Math.max(0, bytes));
  if (failure === undefined) return;
  const { operation } = call;
  throw new UpstreamError(isRead(call) ? failure : 'outcome-unknown', { operation, status });
}

/** Freezes a value with all its members. */
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
