import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';

import type { RequestIds } from '../../core/observers.ts';
import type { Identity } from '../../http/auth/identity.ts';
import type { SubscriptionRequest } from '../../http/graphql-route.ts';
import type { Framing } from './framing.ts';

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

/** One subscription's results, as its client reads them. One result waits for the client, and a newer one takes its place. */
export class LiveStream extends Readable {
  readonly framing: Framing;
  readonly identity: Identity;
  readonly ids: RequestIds;
  readonly lifetime: Lifetime;
  /** How many results were written. */
  results = 0;
  /** Calls to the platform that showed whether something has changed. */
  polls = 0;
  endReason: EndReason = 'client left';
  readonly #response: ServerResponse;
  #waiting: Buffer | undefined;
  #ending: Buffer | undefined;
  #isWanted = false;
  #beatAtMs: number;
  /** Since when the client has not read. */
  #blockedSinceMs: number | undefined;

  constructor({ reply, identity, context }: SubscriptionRequest, framing: Framing, lifetime: Lifetime) {
    super({ highWaterMark: 0 });
    this.framing = framing;
    this.identity = identity;
    this.ids = context.ids;
    this.lifetime = lifetime;
    this.#response = reply.raw;
    this.#beatAtMs = lifetime.startedAtMs;
    this.push(framing.opening);
  }

  override _read(): void {
    this.#isWanted = true;
    this.#flush();
  }

  /** Nothing is sent after the end. */
  send(result: Buffer): void {
    if (this.#ending) return;
    this.#waiting = result;
    this.#flush();
  }

  /** Ends the stream after what waits; the first reason counts. */
  finish(reason: EndReason): void {
    if (this.#ending) return;
    this.endReason = reason;
    this.#ending = reason === 'done' || reason === 'invalid' ? this.framing.complete : Buffer.alloc(0);
    this.#flush();
  }

  /** Ends the stream when its time has come or its client does not read, and else keeps it open. */
  sweep(nowMs: number): void {
    if (nowMs >= this.lifetime.endsAtMs) this.finish(this.lifetime.reason);
    const isBehind = this.#waiting !== undefined || this.readableLength > 0;
    this.#blockedSinceMs = isBehind || this.#response.writableNeedDrain ? (this.#blockedSinceMs ?? nowMs) : undefined;
    if (nowMs - (this.#blockedSinceMs ?? nowMs) >= UNREAD_MS) {
      this.finish('client does not read');
      this.#response.destroy();
      return;
    }
    if (nowMs - this.#beatAtMs < BEAT_MS) return;
    this.#beatAtMs = nowMs;
    if (!isBehind && this.#isWanted && !this.#ending) this.#write(this.framing.heartbeat(this.polls));
    const kept = this.identity.keep?.().then((isKept) => isKept || this.finish('session ended'));
    kept?.catch(() => this.finish('session ended'));
  }

  #flush(): void {
    if (!this.#isWanted || this.destroyed) return;
    const result = this.#waiting;
    if (result) {
      this.#waiting = undefined;
      this.results++;
      this.#write(result);
    } else if (this.#ending) {
      if (this.#ending.length > 0) this.push(this.#ending);
      this.#isWanted = false;
      this.push(null);
    }
  }

  #write(chunk: Buffer): void {
    this.#isWanted = false;
    this.push(chunk);
  }
}
