import { FairShare } from '../../core/open-items.ts';
import type { PreparedOperation } from '../../graphql/operations.ts';

/** The bytes of all compiled operations, variables and results that streams hold, and one caller's part of them. */
const MAX_BYTES = 33_554_432;
const CALLER_SHARE = 0.25;

/** Bytes that count once for all callers, and once for each of those who hold them. */
export class HeldBytes {
  readonly all = new FairShare(MAX_BYTES, MAX_BYTES);
  readonly ofCallers = new FairShare(Number.POSITIVE_INFINITY, MAX_BYTES * CALLER_SHARE);
  readonly #compiled = new WeakMap<PreparedOperation, Holding>();

  /** The bytes of a compiled operation, which count once however many results of it are held. */
  holdingOf(operation: PreparedOperation): Holding {
    const holding = this.#compiled.get(operation) ?? new Holding(this, operation.bytes);
    this.#compiled.set(operation, holding);
    return holding;
  }

  /** Whose limit so many more bytes would exceed; `undefined` where they fit. One caller gets half of what others leave at most. */
  excess(caller: string | undefined, bytes = 0): 'all' | 'one' | undefined {
    const excess = this.all.excess(undefined, bytes) ?? this.ofCallers.excess(caller, bytes);
    if (excess || caller === undefined || bytes === 0) return excess;
    const own = this.ofCallers.of(caller);
    return own + bytes > (MAX_BYTES - this.all.total + own) / 2 ? 'one' : undefined;
  }
}

/** The bytes of one result, and who holds them, with those that it needs besides its own. */
export class Holding {
  readonly #held: HeldBytes;
  readonly #bytes: number;
  readonly #needed: Holding | undefined;
  /** How many streams of each caller hold them. */
  readonly #holders = new Map<string | undefined, number>();

  constructor(held: HeldBytes, bytes: number, needed?: Holding) {
    this.#held = held;
    this.#bytes = bytes;
    this.#needed = needed;
  }

  /** How many bytes more a caller would hold. */
  bytesFor(caller: string | undefined): number {
    return this.#holders.has(caller) ? 0 : this.#bytes + (this.#needed?.bytesFor(caller) ?? 0);
  }

  hold(caller: string | undefined): void {
    this.#needed?.hold(caller);
    const holds = this.#holders.get(caller) ?? 0;
    if (this.#holders.size === 0) this.#held.all.add(undefined, this.#bytes);
    if (holds === 0) this.#held.ofCallers.add(caller, this.#bytes);
    this.#holders.set(caller, holds + 1);
  }

  release(caller: string | undefined): void {
    this.#needed?.release(caller);
    const holds = (this.#holders.get(caller) ?? 0) - 1;
    if (holds > 0) return void this.#holders.set(caller, holds);
    this.#holders.delete(caller);
    this.#held.ofCallers.add(caller, -this.#bytes);
    if (this.#holders.size === 0) this.#held.all.add(undefined, -this.#bytes);
  }
}
