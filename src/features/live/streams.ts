import type { FastifyReply } from 'fastify';

import type { EndedSessions } from '../../cache/ended-sessions.ts';
import type { Log } from '../../core/log.ts';
import { RequestError } from '../../http/errors.ts';
import type { SubscriptionRequest } from '../../http/graphql-route.ts';
import type { Clock } from './clock.ts';
import type { Framing } from './framing.ts';
import type { Subscriber } from './live-operation.ts';
import { ResultStream } from './result-stream.ts';
import { Share } from './share.ts';

interface StreamsOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly maxStreams: number;
  readonly isStopping: () => boolean;
  readonly endedSessions: Pick<EndedSessions, 'onEnded'>;
}

/** How a stream is kept and when it ends, by the steady clock. */
interface OpenStream extends Subscriber {
  readonly reply: FastifyReply;
  readonly startedAtMs: number;
  readonly endsAtMs: number;
  beatAtMs: number;
  /** Since when its client has not read. */
  blockedSinceMs: number | undefined;
}

/** Proxies and clients take a silent connection for a dead one. */
const BEAT_MS = 12_000;
const SWEEP_MS = 1_000;
/** A client that has read nothing for so long is given up. */
const UNREAD_MS = 30_000;
/** A stream lasts so long, give or take a tenth, so that clients spread over replicas anew. */
const LIFETIME_MS = 3_600_000;
const LIFETIME_JITTER = 0.1;
/** The part of all streams that one caller may have. */
const CALLER_SHARE = 0.1;
const RETRY_AFTER_MS = 5_000;
/** The time over which streams end when the gateway stops. */
const DRAIN_SHARE = 0.4;
const MAX_DRAIN_MS = 10_000;

/** The open streams of one gateway: how many there may be, how they are kept open, and when they end. */
export class Streams {
  readonly #options: StreamsOptions;
  readonly #open = new Set<OpenStream>();
  readonly #share: Share;
  #isSweeping = false;

  constructor(options: StreamsOptions) {
    this.#options = options;
    const { maxStreams, endedSessions } = options;
    this.#share = new Share(maxStreams, Math.max(1, Math.floor(maxStreams * CALLER_SHARE)));
    endedSessions.onEnded((session) => {
      for (const { identity, stream } of this.#open) {
        if (identity.sessionKey === session) stream.finish('session ended');
      }
    });
  }

  get size(): number {
    return this.#open.size;
  }

  /** @throws {RequestError} for a subscription that cannot be served now. */
  admit(caller: string | undefined): void {
    const { isStopping } = this.#options;
    if (isStopping()) throw unavailable('SHUTTING_DOWN', 'The gateway is shutting down; subscribe again.');
    if (!this.#share.hasRoom(1)) throw overloaded();
    if (this.#share.hasRoomFor(caller, 1)) return;
    const { maxOfCaller } = this.#share;
    throw new RequestError(429, `You have ${maxOfCaller} subscriptions open, and no more are allowed; close some.`, {
      code: 'RATE_LIMITED',
      retryable: true,
      retryAfterMs: RETRY_AFTER_MS,
    });
  }

  /** Opens the stream that answers a request. `onClosed` is called once, however it ends. */
  open(
    { reply, identity, context }: SubscriptionRequest,
    framing: Framing,
    onClosed: (stream: Subscriber) => void,
  ): Subscriber {
    const { clock } = this.#options;
    const stream = new ResultStream(framing);
    const nowMs = clock.now();
    const lifetimeMs = LIFETIME_MS * (1 - LIFETIME_JITTER + 2 * LIFETIME_JITTER * clock.random());
    const sessionMs = (identity.session.viewer?.until?.getTime() ?? Number.POSITIVE_INFINITY) - Date.now();
    const open: OpenStream = {
      ...{ stream, identity, ids: context.ids, reply, operation: undefined, polls: 0 },
      ...{ startedAtMs: nowMs, beatAtMs: nowMs, blockedSinceMs: undefined },
      endsAtMs: nowMs + Math.min(lifetimeMs, sessionMs),
    };
    this.#open.add(open);
    this.#share.add(identity.caller, 1);
    stream.once('close', () => {
      this.#close(open);
      onClosed(open);
    });
    reply.headers({
      'content-type': framing.contentType,
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    reply.removeHeader('content-length');
    this.#sweepLater();
    return open;
  }

  /** Ends the streams one after the other, so that their clients do not come back at once. */
  async drain(timeoutMs: number): Promise<void> {
    const streams = [...this.#open];
    const pauseMs = Math.min(timeoutMs * DRAIN_SHARE, MAX_DRAIN_MS) / Math.max(1, streams.length);
    for (const { stream } of streams) {
      stream.finish('shutdown');
      await new Promise<void>((resolve) => this.#options.clock.after(pauseMs, resolve));
    }
  }

  #close(open: OpenStream): void {
    const { identity, ids, stream, startedAtMs, polls } = open;
    this.#open.delete(open);
    this.#share.add(identity.caller, -1);
    const { clock, log } = this.#options;
    const durationMs = Math.round(clock.now() - startedAtMs);
    log.info({ ...ids, reason: stream.endReason, durationMs, results: stream.results, polls }, 'subscription ended');
  }

  #sweepLater(): void {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    this.#options.clock.after(SWEEP_MS, () => {
      this.#isSweeping = false;
      for (const open of this.#open) this.#sweep(open, this.#options.clock.now());
      if (this.#open.size > 0) this.#sweepLater();
    });
  }

  #sweep(open: OpenStream, nowMs: number): void {
    const { stream, reply, identity } = open;
    if (nowMs >= open.endsAtMs) stream.finish('lifetime');
    const isBlocked = stream.isBehind || reply.raw.writableNeedDrain;
    open.blockedSinceMs = isBlocked ? (open.blockedSinceMs ?? nowMs) : undefined;
    if (nowMs - (open.blockedSinceMs ?? nowMs) >= UNREAD_MS) {
      stream.finish('client does not read');
      reply.raw.destroy();
      return;
    }
    if (nowMs - open.beatAtMs < BEAT_MS) return;
    open.beatAtMs = nowMs;
    stream.beat(open.polls);
    const kept = identity.keep?.().then((isKept) => isKept || stream.finish('session ended'));
    kept?.catch(() => stream.finish('session ended'));
  }
}

const unavailable = (code: string, message: string) =>
  new RequestError(503, message, { code, retryAfterMs: RETRY_AFTER_MS });

export const overloaded = () =>
  unavailable('OVERLOADED', 'The gateway has as many subscriptions as it can hold; nothing was executed.');
