import { FairShare } from '../../core/fair-share.ts';

/** The bytes of all documents, variables and results that streams hold, and one caller's part of them. */
const MAX_BYTES = 33_554_432;
const CALLER_SHARE = 0.25;

/** Bytes that count once for all callers, and once for each of those who hold them. */
export class HeldBytes {
  readonly #all = new FairShare(MAX_BYTES, MAX_BYTES);
  readonly #ofCallers = new FairShare(Number.POSITIVE_INFINITY, MAX_BYTES * CALLER_SHARE);

  addForAll(bytes: number): void {
    this.#all.add(undefined, bytes);
  }

  addFor(caller: string | undefined, bytes: number): void {
    this.#ofCallers.add(caller, bytes);
  }

  /** Whose limit so many more bytes would exceed; `undefined` where they fit. */
  excess(caller: string | undefined, bytes = 0): 'all' | 'one' | undefined {
    return this.#all.excess(undefined, bytes) ?? this.#ofCallers.excess(caller, bytes);
  }
}

/** The bytes of one result, and who holds them. */
export class Holding {
  readonly #held: HeldBytes;
  readonly #bytes: number;
  /** How many streams of each caller hold them. */
  readonly #holders = new Map<string | undefined, number>();

  constructor(held: HeldBytes, bytes: number) {
    this.#held = held;
    this.#bytes = bytes;
  }

  /** How many bytes more a caller would hold. */
  bytesFor(caller: string | undefined): number {
    return this.#holders.has(caller) ? 0 : this.#bytes;
  }

  hold(caller: string | undefined): void {
    if (this.#holders.size === 0) this.#held.addForAll(this.#bytes);
    this.#held.addFor(caller, this.bytesFor(caller));
    this.#holders.set(caller, (this.#holders.get(caller) ?? 0) + 1);
  }

  release(caller: string | undefined): void {
    const holds = (this.#holders.get(caller) ?? 0) - 1;
    if (holds > 0) return void this.#holders.set(caller, holds);
    this.#holders.delete(caller);
    this.#held.addFor(caller, -this.#bytes);
    if (this.#holders.size === 0) this.#held.addForAll(-this.#bytes);
  }
}
