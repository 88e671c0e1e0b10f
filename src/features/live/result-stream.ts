import { Readable } from 'node:stream';

import type { Framing } from './framing.ts';

/**
 * The results of one subscription, as its client reads them. While the client does not read, one result waits; a newer one
 * takes its place.
 */
export class ResultStream extends Readable {
  readonly framing: Framing;
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

  send(result: Buffer): void {
    this.#waiting = result;
    this.#flush();
  }

  /** Keeps the connection from being taken for a dead one. */
  beat(): void {
    if (!this.isBehind && this.#isWanted && this.#ending === undefined) this.#write(this.framing.heartbeat);
  }

  /** Ends the stream after what waits. @param isComplete whether nothing more will ever come. */
  finish(isComplete: boolean): void {
    this.#ending ??= isComplete ? this.framing.complete : Buffer.alloc(0);
    this.#flush();
  }

  #flush(): void {
    if (!this.#isWanted || this.destroyed) return;
    const result = this.#waiting;
    if (result) {
      this.#waiting = undefined;
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
