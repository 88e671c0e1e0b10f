import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';

import type { Cache } from '../../cache/cache.ts';
import { type PreparedOperation, reportOperation } from '../../graphql/operations.ts';
import { RequestError } from '../../http/errors.ts';
import type { Subscribe, SubscriptionRequest } from '../../http/graphql-route.ts';
import { type Framing, framingFor } from './framing.ts';
import {
  type FirstRun,
  LiveOperation,
  type LiveOperationOptions,
  type OperationRequest,
  type Subscriber,
} from './live-operation.ts';
import { ResultStream } from './result-stream.ts';
import { ReadLog } from './subscription-type.ts';

interface LiveQueriesOptions extends Omit<LiveOperationOptions, 'counts'> {
  readonly maxStreams: number;
  readonly isStopping: () => boolean;
}

/** How a stream is kept and when it ends, by the steady clock. */
interface OpenStream extends Subscriber {
  readonly reply: FastifyReply;
  readonly operation: { current: LiveOperation };
  readonly endsAtMs: number;
  readonly startedAtMs: number;
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
/** All results that are kept, in characters. */
const MAX_KEPT_LENGTH = 67_108_864;
/** The time over which streams end when the gateway stops. */
const DRAIN_SHARE = 0.4;
const MAX_DRAIN_MS = 10_000;

/** The subscriptions of one gateway. */
export class LiveQueries {
  readonly counts = { runs: 0, results: 0 };
  readonly #options: LiveQueriesOptions;
  readonly #operations = new Map<Cache, Map<string, LiveOperation>>();
  readonly #streams = new Set<OpenStream>();
  readonly #byCaller = new Map<string, number>();
  #isSweeping = false;

  constructor(options: LiveQueriesOptions) {
    this.#options = options;
  }

  get streams(): number {
    return this.#streams.size;
  }

  get operations(): number {
    return this.#all().length;
  }

  readonly subscribe: Subscribe = async (subscription) => {
    const framing = this.#admit(subscription);
    const { text, operation, context, reply, identity } = subscription;
    const request = { text, ...operation };
    const cache = identity.scope.cache;
    const known = this.#find(cache, request, identity);
    if (known?.isCurrent() && this.#report(subscription)) {
      context.onValid?.();
      return this.#open(subscription, known, framing);
    }

    const reads = new ReadLog();
    context.stats.reads = reads;
    const { body, report } = await subscription.run();
    const prepared = this.#options.gateway.graph.current().prepared.get(text, operation.operationName);
    // What was refused is answered as any operation.
    if (reply.statusCode !== 200 || report === undefined || prepared === undefined) return body;
    LiveOperation.check(body, reads);
    const { isPersonal } = context.stats;
    const joined = this.#find(cache, request, identity);
    const live =
      joined?.isPersonal === isPersonal ? joined : this.#create(cache, request, { prepared, identity, isPersonal });
    return this.#open(subscription, live, framing, { body, reads, errors: report.errors });
  };

  /** Prepares all operations for a schema that has taken the place of another. Requests are served between two of them. */
  async schemaReplaced(): Promise<void> {
    for (const operation of this.#all()) {
      await nextTurn();
      if (operation.subscribers.size > 0) operation.prepareAgain();
    }
  }

  /** Ends the streams one after the other, so that their clients do not come back at once. */
  async drain(timeoutMs: number): Promise<void> {
    const streams = [...this.#streams];
    const pauseMs = Math.min(timeoutMs * DRAIN_SHARE, MAX_DRAIN_MS) / Math.max(1, streams.length);
    for (const { stream } of streams) {
      stream.finish(false);
      await new Promise<void>((resolve) => this.#options.clock.after(pauseMs, resolve));
    }
  }

  /** @throws {RequestError} for a subscription that cannot be served here, or not now. */
  #admit({ request, identity: { caller } }: SubscriptionRequest): Framing {
    const { maxStreams, isStopping } = this.#options;
    const { method, headers } = request;
    if (method !== 'POST') throw new RequestError(405, 'Send a subscription by POST.', { headers: { allow: 'POST' } });
    const framing = framingFor(headers.accept);
    if (framing === undefined) throw new RequestError(406, NOT_ACCEPTED);
    if (isStopping()) throw unavailable('SHUTTING_DOWN', 'The gateway is shutting down; subscribe again.');
    const kept = this.#all().reduce((sum, { length }) => sum + length, 0);
    if (this.#streams.size >= maxStreams || kept > MAX_KEPT_LENGTH)
      throw unavailable('OVERLOADED', 'The gateway has as many subscriptions as it can hold; nothing was executed.');
    const ofCaller = Math.max(1, Math.floor(maxStreams * CALLER_SHARE));
    if (caller === undefined || (this.#byCaller.get(caller) ?? 0) < ofCaller) return framing;
    throw new RequestError(429, `You have ${ofCaller} subscriptions open, and no more are allowed; close some.`, {
      code: 'RATE_LIMITED',
      retryable: true,
      retryAfterMs: RETRY_AFTER_MS,
    });
  }

  #find(cache: Cache, request: OperationRequest, identity: Subscriber['identity']): LiveOperation | undefined {
    const ofCache = this.#operations.get(cache);
    return ofCache?.get(keyOf(request)) ?? ofCache?.get(keyOf(request, viewerOf(identity)));
  }

  #create(
    cache: Cache,
    request: OperationRequest,
    {
      prepared,
      identity,
      isPersonal,
    }: Pick<Subscriber, 'identity'> & { readonly prepared: PreparedOperation; readonly isPersonal: boolean },
  ): LiveOperation {
    const live = new LiveOperation({ ...request, isPersonal }, prepared, {
      ...this.#options,
      counts: this.counts,
      cache,
    });
    const ofCache = this.#operations.get(cache) ?? new Map<string, LiveOperation>();
    this.#operations.set(cache, ofCache);
    ofCache.set(keyOf(request, isPersonal ? viewerOf(identity) : undefined), live);
    live.onPersonal = () => this.#split(live, cache, prepared);
    return live;
  }

  /** Gives each viewer an operation of their own. */
  #split(shared: LiveOperation, cache: Cache, prepared: PreparedOperation): void {
    this.#remove(shared, cache);
    for (const open of this.#streams) {
      const { operation, identity } = open;
      if (operation.current !== shared) continue;
      const key = keyOf(shared.request, viewerOf(identity));
      const own =
        this.#operations.get(cache)?.get(key) ??
        this.#create(cache, shared.request, { prepared, identity, isPersonal: true });
      own.subscribers.add(open);
      operation.current = own;
      own.changed(this.#options.gateway.store.now());
    }
  }

  #open(
    { reply, identity, context }: SubscriptionRequest,
    live: LiveOperation,
    framing: Framing,
    first?: FirstRun,
  ): ResultStream {
    const { clock } = this.#options;
    const { caller } = identity;
    const stream = new ResultStream(framing);
    const nowMs = clock.now();
    const lifetimeMs = LIFETIME_MS * (1 - LIFETIME_JITTER + 2 * LIFETIME_JITTER * clock.random());
    const sessionMs = (identity.session.viewer?.until?.getTime() ?? Number.POSITIVE_INFINITY) - Date.now();
    const open: OpenStream = {
      ...{ stream, identity, ids: context.ids, reply, operation: { current: live } },
      ...{ startedAtMs: nowMs, beatAtMs: nowMs, blockedSinceMs: undefined },
      endsAtMs: nowMs + Math.min(lifetimeMs, sessionMs),
    };
    this.#streams.add(open);
    if (caller !== undefined) this.#byCaller.set(caller, (this.#byCaller.get(caller) ?? 0) + 1);
    stream.once('close', () => this.#close(open));
    live.add(open, first);
    reply.headers({
      'content-type': framing.contentType,
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    reply.removeHeader('content-length');
    this.#sweepLater();
    return stream;
  }

  #close(open: OpenStream): void {
    const { identity, operation } = open;
    if (!this.#streams.delete(open)) return;
    const { caller } = identity;
    const left = caller === undefined ? 0 : (this.#byCaller.get(caller) ?? 0) - 1;
    if (caller !== undefined && left > 0) this.#byCaller.set(caller, left);
    else if (caller !== undefined) this.#byCaller.delete(caller);
    const live = operation.current;
    live.subscribers.delete(open);
    if (live.subscribers.size === 0) this.#remove(live, identity.scope.cache);
  }

  #remove(live: LiveOperation, cache: Cache): void {
    live.stop();
    const ofCache = this.#operations.get(cache);
    for (const [key, one] of ofCache ?? []) if (one === live) ofCache?.delete(key);
    if (ofCache?.size === 0) this.#operations.delete(cache);
  }

  #all(): LiveOperation[] {
    return [...this.#operations.values()].flatMap((ofCache) => [...ofCache.values()]);
  }

  /** A stream that joins an operation is an operation as well. */
  #report({ text, operation: { operationName }, context }: SubscriptionRequest): boolean {
    const prepared = this.#options.gateway.graph.current().prepared.get(text, operationName);
    if (prepared) context.onAnswered(reportOperation(context, prepared, { errors: [], codes: [], hasData: true }));
    return prepared !== undefined;
  }

  #sweepLater(): void {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    this.#options.clock.after(SWEEP_MS, () => {
      this.#isSweeping = false;
      for (const open of this.#streams) this.#sweep(open, this.#options.clock.now());
      if (this.#streams.size > 0) this.#sweepLater();
    });
  }

  #sweep(open: OpenStream, nowMs: number): void {
    const { stream, reply, identity } = open;
    if (nowMs >= open.endsAtMs) stream.finish(false);
    const isBlocked = stream.isBehind || reply.raw.writableNeedDrain;
    open.blockedSinceMs = isBlocked ? (open.blockedSinceMs ?? nowMs) : undefined;
    if (nowMs - (open.blockedSinceMs ?? nowMs) >= UNREAD_MS) return void reply.raw.destroy();
    if (nowMs - open.beatAtMs < BEAT_MS) return;
    open.beatAtMs = nowMs;
    stream.beat();
    const ended = identity.keep?.().then((isKept) => isKept || stream.finish(false));
    ended?.catch(() => stream.finish(false));
  }
}

const RETRY_AFTER_MS = 5_000;

const unavailable = (code: string, message: string) =>
  new RequestError(503, message, { code, retryAfterMs: RETRY_AFTER_MS });

const NOT_ACCEPTED =
  'A subscription is a stream: accept text/event-stream, or multipart/mixed;subscriptionSpec=1.0; nothing was executed.';

const keyOf = ({ text, operationName, variables }: OperationRequest, viewer?: string): string =>
  JSON.stringify([text, operationName, variables, viewer]);

const viewerOf = ({ session: { viewer } }: Subscriber['identity']): string => viewer?.name ?? '';
