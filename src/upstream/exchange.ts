import type { Dispatcher } from 'undici';

import { failureOf, toEnded } from './ending.ts';
import { UpstreamError } from './errors.ts';
import { createReception, type WholeAnswer } from './reception.ts';

/** One HTTP request to the upstream, complete with its authorization. */
export interface Exchange {
  /** The operation's name in the interface, for errors. */
  readonly operation: string;
  readonly method: Dispatcher.HttpMethod;
  /** Below the base address, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Whether the request has an effect, so that a lost answer leaves its outcome unknown. */
  readonly isWrite: boolean;
  /** From the call to the last byte of the answer, in milliseconds, where it is less than always. */
  readonly timeoutMs?: number | undefined;
  /** Ends the call. A write that may have left is brought to its end all the same, unless the gateway stops. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Speaks HTTP once. Any whole answer resolves, also a 500.
 *
 * @throws {UpstreamError} when there was no whole answer: `timeout`, `unavailable`, `malformed`, `cancelled`,
 *   `overloaded`, and `outcome-unknown` for a write that may have reached the upstream.
 */
export type Exchanger = (exchange: Exchange) => Promise<WholeAnswer>;

export interface ExchangerOptions {
  readonly dispatcher: Dispatcher;
  /** Scheme, host, and the path that all others are below; no trailing slash. */
  readonly baseUrl: string;
  /** From the call to the last byte of the answer, in milliseconds, time in the queue included. */
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  /** How many calls may be under way or waiting for a connection. */
  readonly maxPending: number;
}

/** Makes the function that speaks HTTP; no other code in the gateway does. */
export function createExchanger(options: ExchangerOptions): Exchanger {
  const { dispatcher, maxResponseBytes, maxPending } = options;
  const { origin, pathname } = new URL(options.baseUrl);
  const prefix = pathname.replace(/\/+$/, '');
  let pending = 0;

  return async (exchange) => {
    const { operation, method, path, body = null, timeoutMs = options.timeoutMs, signal } = exchange;
    if (signal?.aborted) throw toEnded(operation, signal);
    if (pending >= maxPending) throw new UpstreamError('overloaded', { operation, isUnsent: true });

    pending++;
    const { handler, answer, abort, hasBegun } = createReception({
      operation,
      isWrite: exchange.isWrite,
      maxResponseBytes,
    });
    const timer = setTimeout(() => abort('timeout'), timeoutMs);
    const cancel = () => {
      const failure = failureOf(signal?.reason);
      if (!exchange.isWrite || !hasBegun() || failure === 'stopped') abort(failure);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      // The deadline above is the only clock: undici's own timers restart with every byte.
      const timers = { headersTimeout: 0, bodyTimeout: 0 };
      // Asking for no encoding keeps an answer's size on the wire its size in memory.
      const headers = { ...exchange.headers, 'accept-encoding': 'identity' };
      dispatcher.dispatch({ origin, method, path: prefix + path, headers, body, ...timers }, handler);
      return await answer;
    } finally {
      pending--;
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    }
  };
}
