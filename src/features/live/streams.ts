import { OpenItems } from '../../core/open-items.ts';
import { RequestError } from '../../http/errors.ts';
import type { SubscriptionRequest } from '../../http/graphql-route.ts';
import { createDelayed } from './clock.ts';
import type { Framing } from './framing.ts';
import { LiveStream } from './live-stream.ts';
import type { LiveParts } from './settings.ts';
import { Share } from './share.ts';

const SWEEP_MS = 1_000;
/** A stream lasts so long, give or take a tenth, so that clients spread over replicas anew. */
const LIFETIME_MS = 3_600_000;
const LIFETIME_JITTER = 0.1;
/** The part of all streams that one caller may have. */
const CALLER_SHARE = 0.1;
const RETRY_AFTER_MS = 5_000;
/** The time over which streams end when the gateway stops. */
const DRAIN_SHARE = 0.4;
const MAX_DRAIN_MS = 10_000;

/** Makes the list of a gateway's open streams: how many there may be, and when they end. */
export function createStreams({ gateway, clock, maxStreams }: LiveParts) {
  const { http, log, endedSessions } = gateway;
  const streams = new OpenItems<LiveStream>();
  const maxOfCaller = Math.max(1, Math.floor(maxStreams * CALLER_SHARE));
  const share = new Share(maxStreams, maxOfCaller);

  const sweepLater = createDelayed(clock, SWEEP_MS, () => {
    for (const stream of streams.toArray()) stream.sweep(clock.now());
    if (streams.size > 0) sweepLater();
  });
  endedSessions.onEnded((session) => {
    const ended = streams.toArray().filter(({ identity }) => identity.sessionKey === session);
    for (const stream of ended) stream.finish('session ended');
  });

  /** A stream ends with its caller's session at the latest. */
  const lifetimeOf = ({ session: { viewer } }: LiveStream['identity']): LiveStream['lifetime'] => {
    const startedAtMs = clock.now();
    const lifetimeMs = LIFETIME_MS * (1 - LIFETIME_JITTER + 2 * LIFETIME_JITTER * clock.random());
    const sessionMs = (viewer?.until?.getTime() ?? Number.POSITIVE_INFINITY) - Date.now();
    return sessionMs < lifetimeMs
      ? { startedAtMs, endsAtMs: startedAtMs + sessionMs, reason: 'session ended' }
      : { startedAtMs, endsAtMs: startedAtMs + lifetimeMs, reason: 'lifetime' };
  };
  const logEnd = ({ ids, endReason: reason, lifetime, results, polls }: LiveStream): void => {
    const durationMs = Math.round(clock.now() - lifetime.startedAtMs);
    log.info({ ...ids, reason, durationMs, results, polls }, 'subscription ended');
  };

  return {
    size: () => streams.size,
    /** @throws {RequestError} for a subscription that cannot be served now. */
    admit(caller: string | undefined): void {
      if (http.isStopping()) throw unavailable('SHUTTING_DOWN', 'The gateway is shutting down; subscribe again.');
      const excess = share.excess(caller, 1);
      if (excess)
        throw noRoom(excess, `You have ${maxOfCaller} subscriptions open, and no more are allowed; close some.`);
    },
    /** Opens the stream that answers a request. */
    open(subscription: SubscriptionRequest, framing: Framing): LiveStream {
      const { reply, identity } = subscription;
      const stream = new LiveStream(subscription, framing, lifetimeOf(identity));
      const remove = streams.add(stream);
      share.add(identity.caller, 1);
      stream.once('close', () => {
        remove();
        share.add(identity.caller, -1);
        logEnd(stream);
      });
      reply.headers({
        'content-type': framing.contentType,
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
      });
      reply.removeHeader('content-length');
      sweepLater();
      return stream;
    },
    /** Ends the streams one after the other, so that their clients do not come back at once. */
    async drain(timeoutMs: number): Promise<void> {
      const open = streams.toArray();
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

/** Why a subscription is not opened: the gateway is full, or its caller has their part. */
export const noRoom = (excess: 'all' | 'caller', ofCaller: string): RequestError =>
  excess === 'all'
    ? unavailable('OVERLOADED', 'The gateway has as many subscriptions as it can hold; nothing was executed.')
    : new RequestError(429, ofCaller, { code: 'RATE_LIMITED', retryable: true, retryAfterMs: RETRY_AFTER_MS });
