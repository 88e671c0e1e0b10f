import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { GraphQLError } from 'graphql';

import type { RequestIds } from '../../core/observers.ts';
import { toClientError } from '../../graphql/errors.ts';
import type { Caller } from '../../http/auth/identity.ts';
import type { AdmittedRequest } from '../../http/graphql-route.ts';
import type { Framing } from './framing.ts';
import { LiveResult, type Shares } from './live-result.ts';

/** Why a stream ends, as the log has it. After `done` and `invalid` nothing more will ever come. */
export type EndReason =
  /** Nothing was read that could change. */
  | 'done'
  /** The operation does not fit the schema any more, or its result cannot be followed. */
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

/** From when to when a stream lasts, by the steady clock, and why it ends then. */
interface Lifetime {
  readonly startedAtMs: number;
  readonly endsAtMs: number;
  readonly reason: EndReason;
}

/** Proxies and clients take a silent connection for a dead one. */
const BEAT_MS = 12_000;
/** A client that has read nothing for so long is given up. */
const UNREAD_MS = 30_000;
/** Results are written in pieces, so that it shows how much of them is taken. */
const PIECE_BYTES = 65_536;

interface StreamOptions extends Pick<LiveStream, 'framing' | 'callerKey' | 'lifetime'> {
  readonly shares: Shares;
  /** Counts the results that were sent. */
  readonly counts: { results: number };
}

/** One subscription's results, as its client reads them. One result waits for the client, and a newer one takes its place. */
export class LiveStream extends Readable {
  readonly framing: Framing;
  caller: Caller;
  /** Whose shares it takes from; `undefined` where it counts for all callers alone. */
  callerKey: string | undefined;
  readonly ids: RequestIds;
  readonly lifetime: Lifetime;
  /** The result that was sent last. */
  latest: LiveResult | undefined;
  /** How many results were written. */
  results = 0;
  /** Calls to the platform that showed whether something has changed. */
  polls = 0;
  endReason: EndReason = 'client left';
  readonly #response: ServerResponse;
  readonly #isTrusted: AdmittedRequest['isTrusted'];
  readonly #options: StreamOptions;
  /** The latest result, and those that the client may not have read. */
  readonly #held = new Set<LiveResult>();
  #waiting: LiveResult | undefined;
  /** The rest of the result that is being written. */
  #pieces: Iterator<Buffer> | undefined;
  #ending: Buffer | undefined;
  #isWanted = false;
  #beatAtMs: number;
  /** Since which sweep the client has not read all, and since which it has read nothing. */
  #behindSinceMs: number | undefined;
  #blockedSinceMs: number | undefined;
  /** Whether it has read something since the last sweep. */
  #hasRead = false;

  constructor({ reply, caller, context, isTrusted }: AdmittedRequest, options: StreamOptions) {
    super({ highWaterMark: 0 });
    const { framing, callerKey, lifetime } = options;
    this.framing = framing;
    this.caller = caller;
    this.callerKey = callerKey;
    this.ids = context.ids;
    this.lifetime = lifetime;
    this.#response = reply.raw;
    this.#isTrusted = isTrusted;
    this.#options = options;
    this.#beatAtMs = lifetime.startedAtMs;
    this.push(framing.opening);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.latest?.latest.release(this.callerKey);
    for (const result of this.#held) this.#release(result);
    callback(error);
  }

  override _read(): void {
    this.#isWanted = true;
    this.#flush();
  }

  /** Nothing is sent after the end. */
  send(result: LiveResult): void {
    if (this.#ending || this.destroyed || result === this.latest) return;
    this.#options.counts.results++;
    this.settle();
    if (this.#waiting) this.#release(this.#waiting);
    this.latest?.latest.release(this.callerKey);
    this.latest = result;
    this.#waiting = result;
    this.#held.add(result);
    result.latest.hold(this.callerKey);
    result.held.hold(this.callerKey);
    this.#flush();
  }

  /** Takes from another caller's shares from now on. */
  countFor(caller: Caller, callerKey: string | undefined): void {
    const holdings = [...this.#held].map(({ held }) => held);
    if (this.latest && !this.destroyed) holdings.push(this.latest.latest);
    for (const holding of holdings) {
      holding.release(this.callerKey);
      holding.hold(callerKey);
    }
    this.caller = caller;
    this.callerKey = callerKey;
  }

  /** Ends the stream with an error of the whole result. */
  fail(error: GraphQLError, reason: EndReason): void {
    const json = Buffer.from(JSON.stringify({ errors: [toClientError(error, this.ids)], data: null }));
    this.send(new LiveResult({ json, isStale: false }, this.#options.shares));
    this.finish(reason);
  }

  /** Ends the stream after what waits; the first reason counts. */
  finish(reason: EndReason): void {
    if (this.#ending) return;
    this.endReason = reason;
    this.#ending = reason === 'done' || reason === 'invalid' ? this.framing.complete : Buffer.alloc(0);
    this.#flush();
  }

  /** Closes the connection of a client that does not read. */
  giveUp(): void {
    this.finish('client does not read');
    this.#response.destroy();
    this.destroy();
  }

  /** Ends the stream where its caller or its document is let in no more. */
  checkFiles(): void {
    const { isCurrent, session } = this.caller;
    if (isCurrent?.(session.viewer) === false) this.finish('credentials refused');
    else if (this.#isTrusted?.() === false) this.finish('document removed');
  }

  /** Ends the stream when its time has come or its client does not read, and else keeps it open. */
  sweep(nowMs: number): void {
    if (nowMs >= this.lifetime.endsAtMs) this.finish(this.lifetime.reason);
    this.checkFiles();
    const isBehind = !this.settle();
    this.#behindSinceMs = isBehind ? (this.#behindSinceMs ?? nowMs) : undefined;
    this.#blockedSinceMs = isBehind && !this.#hasRead ? (this.#blockedSinceMs ?? nowMs) : undefined;
    this.#hasRead = false;
    if (this.blockedMs(nowMs) >= UNREAD_MS) this.giveUp();
    if (this.destroyed || nowMs - this.#beatAtMs < BEAT_MS) return;
    this.#beatAtMs = nowMs;
    if (!isBehind && this.#isWanted && !this.#ending) this.#write(this.framing.heartbeat(this.polls));
    const touched = this.caller.touch?.().then((goesOn) => goesOn || this.finish('session ended'));
    touched?.catch(() => this.finish('session ended'));
  }

  /** How long the client has not read all, as far as sweeps have seen. */
  behindMs(nowMs: number): number {
    return nowMs - (this.#behindSinceMs ?? nowMs);
  }

  /** How long it has read nothing. */
  blockedMs(nowMs: number): number {
    return nowMs - (this.#blockedSinceMs ?? nowMs);
  }

  /** Lets go of all results but the latest where the client has read them. @returns whether it has. */
  settle(): boolean {
    if (this.#pieces || this.#waiting || this.readableLength > 0 || this.#response.writableLength > 0) return false;
    for (const result of this.#held) if (result !== this.latest) this.#release(result);
    this.#behindSinceMs = undefined;
    return true;
  }

  #release(result: LiveResult): void {
    this.#held.delete(result);
    result.held.release(this.callerKey);
  }

  #flush(): void {
    if (!this.#isWanted || this.destroyed) return;
    const piece = this.#nextPiece();
    if (piece) this.#write(piece);
    else if (this.#ending) {
      if (this.#ending.length > 0) this.push(this.#ending);
      this.#isWanted = false;
      this.push(null);
    }
  }

  #nextPiece(): Buffer | undefined {
    const piece: Buffer | undefined = this.#pieces?.next().value;
    if (piece) return piece;
    this.#pieces = this.#waiting && toPieces([this.framing.before, ...this.#waiting.parts, this.framing.after]);
    if (this.#waiting) this.results++;
    this.#waiting = undefined;
    return this.#pieces?.next().value;
  }

  #write(chunk: Buffer): void {
    this.#isWanted = false;
    this.#hasRead = true;
    this.push(chunk);
  }
}

function* toPieces(parts: readonly Buffer[]): Generator<Buffer, undefined> {
  for (const part of parts) {
    for (let at = 0; at < part.length; at += PIECE_BYTES) yield part.subarray(at, at + PIECE_BYTES);
  }
}
