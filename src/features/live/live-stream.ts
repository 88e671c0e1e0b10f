import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { GraphQLError } from 'graphql';
import type { FairShare } from '../../core/fair-share.ts';
import type { RequestIds } from '../../core/observers.ts';
import { toClientError } from '../../graphql/errors.ts';
import type { Caller } from '../../http/auth/identity.ts';
import type { AdmittedRequest } from '../../http/graphql-route.ts';
import type { Clock } from './clock.ts';
import type { Framing } from './framing.ts';

/** Why a stream ends, as the log has it. After `done` and `invalid` nothing more will ever come. */
export type EndReason =
  /** Nothing was read that could change. */
  | 'done'
  /** The operation does not fit the schema any more, or its answer cannot be followed. */
  | 'invalid'
  | 'client left'
  | 'client does not read'
  | 'lifetime'
  | 'session ended'
  | 'credentials refused'
  /** The trusted document is there no more. */
  | 'document removed'
  | 'overloaded'
  /** A run has failed in the gateway itself. */
  | 'failed'
  | 'shutdown';

/** Proxies and clients take a silent connection for a dead one. */
const BEAT_MS = 12_000;
/** A client that has not read a result for so long is given up. */
const UNREAD_MS = 30_000;
/** A stream lasts so long, give or take a tenth, so that clients spread over replicas anew. */
const LIFETIME_MS = 3_600_000;

/** A request for a stream. */
export interface Subscription extends AdmittedRequest {
  readonly framing: Framing;
  /** Tells its query from all others. */
  readonly key: string;
  /** About how much memory its variables take. */
  readonly bytes: number;
}

interface StreamOptions {
  readonly callerKey: string | undefined;
  readonly clock: Clock;
  /** The memory of all streams. */
  readonly bytes: FairShare;
  /** Counts the results that were sent. */
  readonly counts: { results: number };
}

/** One subscription's results, as its client reads them. One result waits for the client, and a newer one takes its place. */
export class LiveStream extends Readable {
  readonly caller: Caller;
  /** Whose shares it takes from; `undefined` where it counts for all callers alone. */
  readonly callerKey: string | undefined;
  readonly ids: RequestIds;
  /** Calls to the platform that showed whether something has changed. */
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
  /** The bytes that count since a newer result waits for them to be read. */
  #unread = 0;
  #beatAtMs: number;
  /** When its client was last found to have read all. */
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

  /** For the log. */
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

  /** Nothing is sent after the end. */
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

  /** Ends the stream after what waits; the first reason counts. */
  finish(reason: EndReason): void {
    if (this.#ending) return;
    this.#endReason = reason;
    this.#ending =
      reason === 'done' || reason === 'invalid' ? this.#framing.complete : Buffer.alloc(0);
    this.#flush();
  }

  /** Ends the stream when its time has come, its caller or document is let in no more, or its client does not read. */
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

  /** What was written, and the client has not read. */
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
