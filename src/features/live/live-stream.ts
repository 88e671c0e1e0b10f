import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { GraphQLError } from 'graphql';
import type { FairShare } from '../../core/fair-share.ts';
import type { RequestIds } from '../../core/observers.ts';
import { toClientError } from '../../graphql/errors.ts';
import type { Caller } from '../../http/auth/identity.ts';
import type { AdmittedRequest } from '../../http/graphql-route.ts';
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

interface StreamOptions extends Pick<LiveStream, 'callerKey' | 'startedAtMs'> {
  readonly endsAtMs: number;
  /** Why it ends then. */
  readonly endsFor: EndReason;
  readonly framing: Framing;
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
  readonly startedAtMs: number;
  /** How many results were written. */
  results = 0;
  /** Calls to the platform that showed whether something has changed. */
  polls = 0;
  endReason: EndReason = 'client left';
  readonly #admitted: Pick<AdmittedRequest, 'isTrusted'> & { readonly response: ServerResponse };
  readonly #options: StreamOptions;
  #waiting: Buffer | undefined;
  #ending: Buffer | undefined;
  #isWanted = false;
  /** The bytes of the result that was written last, and of those that count since a newer one waits. */
  #written = 0;
  #unread = 0;
  #beatAtMs: number;
  #behindSinceMs: number | undefined;

  constructor({ reply, caller, context, isTrusted }: AdmittedRequest, options: StreamOptions) {
    super({ highWaterMark: 0 });
    this.caller = caller;
    this.callerKey = options.callerKey;
    this.ids = context.ids;
    this.startedAtMs = options.startedAtMs;
    this.#admitted = { isTrusted, response: reply.raw };
    this.#options = options;
    this.#beatAtMs = options.startedAtMs;
    this.push(options.framing.opening);
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
    if (this.#isBehind) this.#countUnread(this.#written);
    this.#waiting = answer;
    this.#flush();
    if (this.#options.bytes.excess(this.callerKey, 0) && this.#unread > 0) this.#giveUp();
  }

  /** Ends the stream with an error of the whole result. */
  fail(error: GraphQLError, reason: EndReason): void {
    this.send(Buffer.from(JSON.stringify({ errors: [toClientError(error, this.ids)], data: null })));
    this.finish(reason);
  }

  /** Ends the stream after what waits; the first reason counts. */
  finish(reason: EndReason): void {
    if (this.#ending) return;
    this.endReason = reason;
    this.#ending = reason === 'done' || reason === 'invalid' ? this.#options.framing.complete : Buffer.alloc(0);
    this.#flush();
  }

  /** Ends the stream where its caller or its document is let in no more. */
  checkFiles(): void {
    const { isCurrent, session } = this.caller;
    if (isCurrent?.(session.viewer) === false) this.finish('credentials refused');
    else if (this.#admitted.isTrusted?.() === false) this.finish('document removed');
  }

  /** Ends the stream when its time has come or its client does not read, and else keeps it open. */
  sweep(nowMs: number): void {
    if (nowMs >= this.#options.endsAtMs) this.finish(this.#options.endsFor);
    this.checkFiles();
    const isBehind = this.#isBehind;
    if (!isBehind) this.#countUnread(0);
    this.#behindSinceMs = isBehind ? (this.#behindSinceMs ?? nowMs) : undefined;
    if (nowMs - (this.#behindSinceMs ?? nowMs) >= UNREAD_MS) this.#giveUp();
    if (this.destroyed || nowMs - this.#beatAtMs < BEAT_MS) return;
    this.#beatAtMs = nowMs;
    if (!isBehind && this.#isWanted && !this.#ending) this.#write(this.#options.framing.heartbeat(this.polls));
    const touched = this.caller.touch?.().then((goesOn) => goesOn || this.finish('session ended'));
    touched?.catch(() => this.finish('session ended'));
  }

  /** Whether its client has not read all that was written. */
  get #isBehind(): boolean {
    return this.#waiting !== undefined || this.readableLength > 0 || this.#admitted.response.writableLength > 0;
  }

  #countUnread(bytes: number): void {
    this.#options.bytes.add(this.callerKey, bytes - this.#unread);
    this.#unread = bytes;
  }

  /** Closes the connection of a client that does not read. */
  #giveUp(): void {
    this.finish('client does not read');
    this.#admitted.response.destroy();
    this.destroy();
  }

  #flush(): void {
    if (!this.#isWanted || this.destroyed) return;
    const { before, after } = this.#options.framing;
    if (this.#waiting) {
      this.results++;
      this.#options.counts.results++;
      this.#written = this.#waiting.length;
      this.#write(before, this.#waiting, after);
      this.#waiting = undefined;
    } else if (this.#ending) {
      if (this.#ending.length > 0) this.push(this.#ending);
      this.#isWanted = false;
      this.push(null);
    }
  }

  #write(...chunks: readonly Buffer[]): void {
    this.#isWanted = false;
    for (const chunk of chunks) this.push(chunk);
  }
}
