import { Readable } from 'node:stream';

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
  | 'shutdown';

/**
 * The results of one subscription, as its client reads them. While the client does not read, one result waits; a newer one
 * takes its place.
 */
export class ResultStream extends Readable {
  readonly framing: Framing;
  /** How many results were written. */
  results = 0;
  endReason: EndReason = 'client left';
  #waiting: Buffer | undefined;
  #ending: Buffer | undefined;
  #isWanted = false;

  constructor(framing: Framing) {
    super({ highWaterMark: 0 });
    this.framing = framing;
    this.push(framing.opening);
  }

  override _read(): void {
    this.#isWanted = true;
    this.#flush();
  }

  /** Whether a result waits for the client. */
  get isBehind(): boolean {
    return this.#waiting !== undefined || this.readableLength > 0;
  }

  /** Nothing is sent after the end. */
  send(result: Buffer): void {
    if (this.#ending) return;
    this.#waiting = result;
    this.#flush();
  }

  /** Keeps the connection from being taken for a dead one. */
  beat(polls: number): void {
    if (!this.isBehind && this.#isWanted && this.#ending === undefined) this.#write(this.framing.heartbeat(polls));
  }

  /** Ends the stream after what waits; the first reason counts. */
  finish(reason: EndReason): void {
    if (this.#ending) return;
    this.endReason = reason;
    this.#ending = reason === 'done' || reason === 'invalid' ? this.framing.complete : Buffer.alloc(0);
    this.#flush();
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
