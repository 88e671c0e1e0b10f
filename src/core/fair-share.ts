/** An amount that all have together, and of which each one may have a part. `undefined` stands for those who are not told apart. */
export class FairShare {
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

  /** Whose limit so much more would exceed; `undefined` where it fits. */
  excess(one: string | undefined, amount: number): 'all' | 'one' | undefined {
    if (this.#total + amount > this.max) return 'all';
    return one !== undefined && this.of(one) + amount > this.maxOfOne ? 'one' : undefined;
  }
}
