import type { EndedSessions } from '../../cache/ended-sessions.ts';
import type { Log } from '../../core/log.ts';
import { OpenItems } from '../../core/open-items.ts';
import { RequestError } from '../../http/errors.ts';
import type { SubscriptionRequest } from '../../http/graphql-route.ts';
import { type Clock, createDelayed } from './clock.ts';
import type { Framing } from './framing.ts';
import { LiveStream } from './live-stream.ts';
import { Share } from './share.ts';

interface StreamsOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly maxStreams: number;
  readonly isStopping: () => boolean;
  readonly endedSessions: Pick<EndedSessions, 'onEnded'>;
}

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

/** The open streams of one gateway: how many there may be, and when they end. */
export class Streams {
  readonly #options: StreamsOptions;
  readonly #open = new OpenItems<LiveStream>();
  readonly #share: Share;
  readonly #sweepLater: () => void;

  constructor(options: StreamsOptions) {
    this.#options = options;
    const { clock, maxStreams, endedSessions } = options;
    this.#share = new Share(maxStreams, Math.max(1, Math.floor(maxStreams * CALLER_SHARE)));
    this.#sweepLater = createDelayed(clock, SWEEP_MS, () => {
      for (const stream of this.#open.toArray()) stream.sweep(clock.now());
      if (this.size > 0) this.#sweepLater();
    });
    endedSessions.onEnded((session) => {
      const ended = this.#open.toArray().filter(({ identity }) => identity.sessionKey === session);
      for (const stream of ended) stream.finish('session ended');
    });
  }

  get size(): number {
    return this.#open.size;
  }

  /** @throws {RequestError} for a subscription that cannot be served now. */
  admit(caller: string | undefined): void {
    const { isStopping } = this.#options;
    if (isStopping()) throw unavailable('SHUTTING_DOWN', 'The gateway is shutting down; subscribe again.');
    const excess = this.#share.excess(caller, 1);
    if (excess === undefined) return;
    if (excess === 'all') throw overloaded();
    const { maxOfCaller } = this.#share;
    throw new RequestError(429, `You have ${maxOfCaller} subscriptions open, and no more are allowed; close some.`, {
      code: 'RATE_LIMITED',
      retryable: true,
      retryAfterMs: RETRY_AFTER_MS,
    });
  }

  /** Opens the stream that answers a request. */
  open(subscription: SubscriptionRequest, framing: Framing): LiveStream {
    const { reply, identity } = subscription;
    const stream = new LiveStream(subscription, framing, this.#lifetimeOf(identity));
    const remove = this.#open.add(stream);
    this.#share.add(identity.caller, 1);
    stream.once('close', () => {
      remove();
      this.#share.add(identity.caller, -1);
      this.#logEnd(stream);
    });
    reply.headers({
      'content-type': framing.contentType,
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    reply.removeHeader('content-length');
    this.#sweepLater();
    return stream;
  }

  /** Ends the streams one after the other, so that their clients do not come back at once. */
  async drain(timeoutMs: number): Promise<void> {
    const streams = this.#open.toArray();
    const pauseMs = Math.min(timeoutMs * DRAIN_SHARE, MAX_DRAIN_MS) / Math.max(1, streams.length);
    for (const stream of streams) {
      stream.finish('shutdown');
      await new Promise<void>((resolve) => this.#options.clock.after(pauseMs, resolve));
    }
  }

  /** It ends with the caller's session at the latest. */
  #lifetimeOf({ session: { viewer } }: LiveStream['identity']): LiveStream['lifetime'] {
    const { clock } = this.#options;
    const startedAtMs = clock.now();
    const lifetimeMs = LIFETIME_MS * (1 - LIFETIME_JITTER + 2 * LIFETIME_JITTER * clock.random());
    const sessionMs = (viewer?.until?.getTime() ?? Number.POSITIVE_INFINITY) - Date.now();
    return sessionMs < lifetimeMs
      ? { startedAtMs, endsAtMs: startedAtMs + sessionMs, reason: 'session ended' }
      : { startedAtMs, endsAtMs: startedAtMs + lifetimeMs, reason: 'lifetime' };
  }

  #logEnd({ ids, endReason: reason, lifetime, results, polls }: LiveStream): void {
    const { clock, log } = this.#options;
    const durationMs = Math.round(clock.now() - lifetime.startedAtMs);
    log.info({ ...ids, reason, durationMs, results, polls }, 'subscription ended');
  }
}

const unavailable = (code: string, message: string) =>
  new RequestError(503, message, { code, retryAfterMs: RETRY_AFTER_MS });

export const overloaded = () =>
  unavailable('OVERLOADED', 'The gateway has as many subscriptions as it can hold; nothing was executed.');
