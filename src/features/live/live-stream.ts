import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { GraphQLError } from 'graphql';
import type { RequestIds } from '../../core/observers.ts';
import type { Quota } from '../../core/quota.ts';
import { toClientError } from '../../graphql/errors.ts';
import type { Caller } from '../../http/auth/identity.ts';
import type { AdmittedRequest } from '../../http/graphql-route.ts';
import type { Clock } from './clock.ts';
import type { Framing } from './framing.ts';

/** Why a stream ends, for the log. After `done` and `invalid` there are no further results. */
export type EndReason =
  /** Nothing was read that could change. */
  | 'done'
  /** The operation no longer fits the schema, or its answer cannot be watched. */
  | 'invalid'
  | 'client left'
  | 'client does not read'
  | 'lifetime'
  | 'session ended'
  | 'credentials refused'
  /** The trusted document was removed. */
  | 'document removed'
  | 'overloaded'
  /** A run has failed because of an error in the gateway. */
  | 'failed'
  | 'shutdown';

/** The interval of heartbeats. Proxies and clients close silent connections. */
const BEAT_MS = 12_000;
/** How long a result may remain unread before the connection is closed. */
const UNREAD_MS = 30_000;
/**
 * The lifetime of a stream, varied by a tenth. Clients that reconnect spread over the replicas
 * again.
 */
const LIFETIME_MS = 3_600_000;

/** A request that opens a stream. */
export interface Subscription extends AdmittedRequest {
  readonly framing: Framing;
  /** Identifies the query. Streams with equal keys share it. */
  readonly key: string;
  /** The approximate memory of the variables, in bytes. */
  readonly bytes: number;
}

interface StreamOptions {
  readonly callerKey: string | undefined;
  readonly clock: Clock;
  /** Limits the memory of all streams. */
  readonly bytes: Quota;
  /** Counts the sent results. */
  readonly counts: { results: number };
}

/**
 * The results of one subscription for its client. At most one result waits to be read, and a newer
 * one replaces it.
 */
export class LiveStream extends Readable {
  readonly caller: Caller;
  /**
   * The charged caller; `undefined` if callers are not told apart, so that only the total
   * counts.
   */
  readonly callerKey: string | undefined;
  readonly ids: RequestIds;
  /** The number of calls to the platform that checked for changes. */
  polls = 0;
  readonly #options: StreamOptions;
  readonly #framing: Framing;
  readonly #isTrusted: AdmittedRequest['isTrusted'];
  readonly #response: ServerResponse;
  readonly #startedAtMs: number;
  readonly #endsAtMs: number;
  readonly #sessionEndsAtMs: number;
  #endReason: EndReason = 'client left';
  #results = 0;
  #waiting: Buffer | undefined;
  #ending: Buffer | undefined;
  #isWanted = false;
  /**
   * Bytes that the client had not read when a newer result arrived. They are charged to the caller.
   */
  #unread = 0;
  #beatAtMs: number;
  /** When the client was last known to have read everything. */
  #readAtMs: number;

  constructor(
    { reply, caller, context, isTrusted, framing }: Subscription,
    options: StreamOptions,
  ) {
    super({ highWaterMark: 0 });
    this.caller = caller;
    this.callerKey = options.callerKey;
    this.ids = context.ids;
    this.#options = options;
    this.#framing = framing;
    this.#isTrusted = isTrusted;
    this.#response = reply.raw;
    const nowMs = options.clock.now();
    this.#startedAtMs = nowMs;
    this.#beatAtMs = nowMs;
    this.#readAtMs = nowMs;
    this.#endsAtMs = nowMs + LIFETIME_MS * options.clock.jitter();
    const until = caller.session.viewer?.until?.getTime() ?? Number.POSITIVE_INFINITY;
    this.#sessionEndsAtMs = nowMs + until - Date.now();
    this.push(framing.opening);
  }

  /** Returns the fields for the log. */
  describe(): object {
    const durationMs = Math.round(this.#options.clock.now() - this.#startedAtMs);
    return {
      ...this.ids,
      reason: this.#endReason,
      durationMs,
      results: this.#results,
      polls: this.polls,
    };
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#countUnread(0);
    callback(error);
  }

  override _read(): void {
    this.#isWanted = true;
    this.#flush();
  }

  /**
   * Sends a result, unless the stream is ending. Closes the connection if memory is short and the
   * client has unread bytes.
   */
  send(answer: Buffer): void {
    if (this.#ending || this.destroyed) return;
    this.#countUnread(this.#heldBytes);
    this.#waiting = answer;
    this.#flush();
    if (this.#options.bytes.excess(this.callerKey, 0) && this.#unread > 0) this.#giveUp();
  }

  /** Ends the stream with an error of the whole result. */
  fail(error: GraphQLError, reason: EndReason): void {
    this.send(
      Buffer.from(JSON.stringify({ errors: [toClientError(error, this.ids)], data: null })),
    );
    this.finish(reason);
  }

  /** Ends the stream after the waiting result. Only the first reason counts. */
  finish(reason: EndReason): void {
    if (this.#ending) return;
    this.#endReason = reason;
    this.#ending =
      reason === 'done' || reason === 'invalid' ? this.#framing.complete : Buffer.alloc(0);
    this.#flush();
  }

  /**
   * Ends the stream at the end of its lifetime or session, if its caller or document is no longer
   * accepted, or if the client does not read. Also sends heartbeats.
   */
  sweep(nowMs: number): void {
    const { isCurrent, session, touch } = this.caller;
    if (nowMs >= this.#sessionEndsAtMs) this.finish('session ended');
    if (nowMs >= this.#endsAtMs) this.finish('lifetime');
    if (isCurrent?.(session.viewer) === false) this.finish('credentials refused');
    if (this.#isTrusted?.() === false) this.finish('document removed');
    if (this.#waiting === undefined && this.#heldBytes === 0) {
      this.#countUnread(0);
      this.#readAtMs = nowMs;
    }
    if (nowMs - this.#readAtMs >= UNREAD_MS) this.#giveUp();
    if (this.destroyed || nowMs - this.#beatAtMs < BEAT_MS) return;
    this.#beatAtMs = nowMs;
    if (this.#isWanted && !this.#ending) this.#write(this.#framing.heartbeat(this.polls));
    const end = () => this.finish('session ended');
    touch?.().then((goesOn) => goesOn || end(), end);
  }

  /** Bytes that were written to the stream, and not yet sent to the client. */
  get #heldBytes(): number {
    return this.readableLength + this.#response.writableLength;
  }

  #countUnread(bytes: number): void {
    this.#options.bytes.add(this.callerKey, bytes - this.#unread);
    this.#unread = bytes;
  }

  /** Closes the connection of a client that does not read. */
  #giveUp(): void {
    this.finish('client does not read');
    this.#response.destroy();
    this.destroy();
  }

  #flush(): void {
    if (!this.#isWanted || this.destroyed) return;
    const { before, after } = this.#framing;
    if (this.#waiting) {
      this.#results++;
      this.#options.counts.results++;
      this.#write(before, this.#waiting, after);
      this.#waiting = undefined;
    } else if (this.#ending) {
      this.#write(this.#ending);
      this.push(null);
    }
  }

  #write(...chunks: readonly Buffer[]): void {
    this.#isWanted = false;
    for (const chunk of chunks) this.push(chunk);
  }
}
