import { Quota } from '../../core/quota.ts';
import type { PreparedOperation } from '../../graphql/operations.ts';
import type { Caller } from '../../http/auth/identity.ts';
import { credentialsOf } from '../../http/auth/modes.ts';
import { RequestError } from '../../http/errors.ts';
import { UNACCEPTED } from '../../upstream/token-provider.ts';
import { LiveStream, type Subscription } from './live-stream.ts';
import type { LiveParts } from './settings.ts';

/** How often all streams are checked, in milliseconds. */
const SWEEP_MS = 1_000;
/** The share of all streams that one caller may have. */
const CALLER_SHARE = 0.1;
/** The maximum bytes of all queries and unread results, and the share of one caller. */
const MAX_BYTES = 33_554_432;
const CALLER_BYTES_SHARE = 0.25;
const RETRY_AFTER_MS = 5_000;
/** The share of the shutdown time over which streams are ended, and its maximum in milliseconds. */
const DRAIN_SHARE = 0.4;
const MAX_DRAIN_MS = 10_000;

/** The open streams. */
export interface Streams {
  /** Returns the number of open streams. */
  size(): number;
  /** The memory of all queries and unread results. */
  readonly bytes: Quota;
  /**
   * Adds (`1`) or removes (`-1`) the memory of a query. A compiled operation counts once per
   * caller.
   */
  charge(charge: Charge, sign: 1 | -1): void;
  readonly counts: StreamCounts;
  /**
   * Checks that a subscription may be opened.
   *
   * @param added bytes that it adds to its caller's memory.
   * @throws {RequestError} if the gateway is full or stops, or the caller has reached a limit.
   */
  admit(caller: Caller, added?: number): void;
  /** Opens the stream that answers a request. */
  open(subscription: Subscription): LiveStream;
  /** Ends the streams one by one, so that their clients do not reconnect all at the same time. */
  drain(timeoutMs: number): Promise<void>;
}

/** The numbers of runs and results, for metrics. */
interface StreamCounts {
  runs: number;
  /** The number of unfinished runs. */
  inFlight: number;
  results: number;
}

/** The memory of a query, and the charged caller. */
export interface Charge {
  readonly caller: string | undefined;
  readonly operation: PreparedOperation;
  /** Bytes besides the compiled operation. */
  readonly bytes: number;
}

/** Creates the registry of open streams. It limits their number and memory, and ends them. */
export function createStreams({ gateway, clock, maxStreams }: LiveParts): Streams {
  const { http, log, endedSessions, settings } = gateway;
  const hasCallers = credentialsOf(settings) !== 'none';
  const streams = new Set<LiveStream>();
  const maxOfCaller = Math.max(1, Math.floor(maxStreams * CALLER_SHARE));
  const quota = new Quota(maxStreams, maxOfCaller);
  const bytes = new Quota(MAX_BYTES, MAX_BYTES * CALLER_BYTES_SHARE);
  const counts = { runs: 0, inFlight: 0, results: 0 };
  /** The number of queries per compiled operation and caller. */
  const holders = new Map<string, number>();
  const charge = ({ caller, operation, bytes: queryBytes }: Charge, sign: 1 | -1): void => {
    const key = `${operation.id} ${caller}`;
    const left = (holders.get(key) ?? 0) + sign;
    if (left === 0) holders.delete(key);
    else holders.set(key, left);
    // Only the first and the last query of a caller count the operation.
    const isOnly = left === 0 || (left === 1 && sign === 1);
    const operationBytes = isOnly ? operation.bytes : 0;
    bytes.add(caller, sign * (queryBytes + operationBytes));
  };
  let isSweeping = false;
  // A timer for each stream would cost twenty times as much.
  const sweep = (): void => {
    for (const stream of streams) stream.sweep(clock.now());
    isSweeping = streams.size > 0;
    if (isSweeping) clock.after(SWEEP_MS, sweep);
  };
  endedSessions.onEnded((session) => {
    for (const stream of [...streams]) {
      if (stream.caller.sessionKey === session) stream.finish('session ended');
    }
  });

  /** Returns the key of the caller that is charged for a stream. */
  const keyOf = ({ key }: Caller): string | undefined =>
    key ?? (hasCallers ? UNACCEPTED : undefined);

  return {
    size: () => streams.size,
    bytes,
    charge,
    counts,
    admit(caller, added = 0) {
      if (http.isStopping()) {
        throw unavailable('SHUTTING_DOWN', 'The gateway is shutting down; subscribe again.');
      }
      const callerKey = keyOf(caller);
      const excessStreams = quota.excess(callerKey, 1);
      if (excessStreams) {
        const message = `You have ${maxOfCaller} subscriptions open, and no more are allowed; close some.`;
        throw noRoom(excessStreams, message);
      }
      const excessBytes = bytes.excess(callerKey, added);
      if (excessBytes) {
        const message = 'Your subscriptions take as much memory as one caller may; close some.';
        throw noRoom(excessBytes, message);
      }
    },
    open(subscription) {
      const { request, reply, caller, framing } = subscription;
      // The response refers to its request as long as the stream lasts, so the body is released.
      request.body = undefined;
      const callerKey = keyOf(caller);
      const stream = new LiveStream(subscription, { callerKey, clock, bytes, counts });
      streams.add(stream);
      quota.add(callerKey, 1);
      stream.once('close', () => {
        streams.delete(stream);
        quota.add(callerKey, -1);
        log.info(stream.describe(), 'subscription ended');
      });
      reply.headers({
        'content-type': framing.contentType,
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
      });
      reply.removeHeader('content-length');
      if (!isSweeping) sweep();
      return stream;
    },
    async drain(timeoutMs) {
      const open = [...streams];
      const pauseMs = Math.min(timeoutMs * DRAIN_SHARE, MAX_DRAIN_MS) / Math.max(1, open.length);
      for (const stream of open) {
        stream.finish('shutdown');
        await new Promise<void>((resolve) => clock.after(pauseMs, resolve));
      }
    },
  };
}

const unavailable = (code: string, message: string) =>
  new RequestError(503, message, { code, retryAfterMs: RETRY_AFTER_MS });

/** Returns the error for a full gateway, or for a caller at the limit. */
const noRoom = (excess: 'all' | 'one', ofCaller: string): RequestError =>
  excess === 'all'
    ? unavailable(
        'OVERLOADED',
        'The gateway has as many subscriptions as it can hold; nothing was executed.',
      )
    : new RequestError(429, ofCaller, { limitOf: 'live', retryAfterMs: RETRY_AFTER_MS });
