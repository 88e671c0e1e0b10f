/**
 * A shared quota with a per-caller cap. `undefined` stands for callers without an identity, which
 * have no cap.
 */
export class Quota {
  max: number;
  maxOfOne: number;
  #total = 0;
  readonly #amounts = new Map<string | undefined, number>();

  constructor(max: number, maxOfOne: number) {
    this.max = max;
    this.maxOfOne = maxOfOne;
  }

  get total(): number {
    return this.#total;
  }

  of(one: string | undefined): number {
    return this.#amounts.get(one) ?? 0;
  }

  add(one: string | undefined, amount: number): void {
    this.#total += amount;
    const left = this.of(one) + amount;
    if (left > 0) this.#amounts.set(one, left);
    else this.#amounts.delete(one);
  }

  /**
   * Returns the limit that an additional amount would exceed: the quota (`all`) or the cap (`one`).
   * `undefined` if the amount fits.
   */
  excess(one: string | undefined, amount: number): 'all' | 'one' | undefined {
    if (this.#total + amount > this.max) return 'all';
    return one !== undefined && this.of(one) + amount > this.maxOfOne ? 'one' : undefined;
  }
}
