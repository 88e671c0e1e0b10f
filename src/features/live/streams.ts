import { FairShare, OpenItems } from '../../core/open-items.ts';
import type { Caller } from '../../http/auth/identity.ts';
import { RequestError } from '../../http/errors.ts';
import type { AdmittedRequest } from '../../http/graphql-route.ts';
import { UNACCEPTED } from '../../upstream/token-source.ts';
import { createDelayed } from './clock.ts';
import type { Framing } from './framing.ts';
import { HeldBytes } from './held-bytes.ts';
import type { LiveResult } from './live-result.ts';
import { LiveStream } from './live-stream.ts';
import type { LiveParts } from './settings.ts';

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
export function createStreams({ gateway, clock, maxStreams }: LiveParts, counts: { results: number }) {
  const { http, log, endedSessions, files, settings } = gateway;
  const streams = new OpenItems<LiveStream>();
  const maxOfCaller = Math.max(1, Math.floor(maxStreams * CALLER_SHARE));
  const share = new FairShare(maxStreams, maxOfCaller);
  const shares = { latest: new HeldBytes(), held: new HeldBytes() };

  const sweepLater = createDelayed(clock, SWEEP_MS, () => {
    const open = streams.toArray();
    for (const stream of open) {
      countForAccepted(stream);
      stream.sweep(clock.now());
    }
    for (const caller of new Set(open.map(({ callerKey }) => callerKey))) makeRoom(caller);
    if (streams.size > 0) sweepLater();
  });
  endedSessions.onEnded((session) => {
    const ended = streams.toArray().filter(({ caller }) => caller.sessionKey === session);
    for (const stream of ended) stream.finish('session ended');
  });

  files.onReplaced(() => {
    for (const stream of streams.toArray()) stream.checkFiles();
  });

  /** Closes streams whose clients are behind, until so many bytes more fit: first those that have read nothing for longest. */
  const makeRoom = (caller: string | undefined, bytes = 0): void => {
    if (!shares.held.excess(caller, bytes)) return;
    const nowMs = clock.now();
    const behind = streams.toArray().filter((stream) => !stream.settle() && stream.behindMs(nowMs) > 0);
    behind.sort((a, b) => b.blockedMs(nowMs) - a.blockedMs(nowMs) || b.behindMs(nowMs) - a.behindMs(nowMs));
    for (const stream of behind) {
      const excess = shares.held.excess(caller, bytes);
      if (excess === 'all' || (excess === 'one' && stream.callerKey === caller)) stream.giveUp();
    }
  };
  /** Whose shares a stream takes from. */
  const keyOf = ({ key }: Caller): string | undefined =>
    key ?? (settings.IDENTITY === 'service' ? undefined : UNACCEPTED);

  /** Counts a stream for its own caller once the platform has accepted the token. */
  const countForAccepted = (stream: LiveStream): void => {
    const caller = stream.caller.accepted?.();
    if (caller === undefined) return;
    share.add(stream.callerKey, -1);
    stream.countFor(caller, keyOf(caller));
    share.add(stream.callerKey, 1);
  };

  /** A stream ends with its caller's session at the latest. */
  const lifetimeOf = ({ session: { viewer } }: Caller): LiveStream['lifetime'] => {
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
    shares,
    /**
     * @param result makes its caller hold memory, where it is known already.
     * @throws {RequestError} for a subscription that cannot be served now.
     */
    admit(caller: Caller, result?: LiveResult): void {
      if (http.isStopping()) throw unavailable('SHUTTING_DOWN', 'The gateway is shutting down; subscribe again.');
      const callerKey = keyOf(caller);
      const excess = share.excess(callerKey, 1);
      if (excess)
        throw noRoom(excess, `You have ${maxOfCaller} subscriptions open, and no more are allowed; close some.`);
      const bytes = result?.held.bytesFor(callerKey) ?? 0;
      makeRoom(callerKey, bytes);
      const ofBytes = shares.held.excess(callerKey, bytes);
      if (ofBytes)
        throw noRoom(
          ofBytes,
          'The results of your subscriptions are as large as those of one caller may be; close some.',
        );
    },
    /** Opens the stream that answers a request. */
    open(subscription: AdmittedRequest, framing: Framing): LiveStream {
      const { request, reply, caller } = subscription;
      // The response keeps its request as long as the stream lasts.
      request.body = undefined;
      const callerKey = keyOf(caller);
      const lifetime = lifetimeOf(caller);
      const stream = new LiveStream(subscription, { framing, callerKey, lifetime, shares, counts });
      const remove = streams.add(stream);
      share.add(callerKey, 1);
      stream.once('close', () => {
        remove();
        share.add(stream.callerKey, -1);
        logEnd(stream);
      });
      reply.headers({
        'content-type': framing.contentType,
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
      });
      reply.removeHeader('content-length');
      // What let it in may have changed while it ran.
      stream.checkFiles();
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
const noRoom = (excess: 'all' | 'one', ofCaller: string): RequestError =>
  excess === 'all'
    ? unavailable('OVERLOADED', 'The gateway has as many subscriptions as it can hold; nothing was executed.')
    : new RequestError(429, ofCaller, { code: 'RATE_LIMITED', retryable: true, retryAfterMs: RETRY_AFTER_MS });
