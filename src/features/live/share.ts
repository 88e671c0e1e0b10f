/** An amount that all callers have together, and of which each authenticated caller may have a part. */
export class Share {
  #total = 0;
  readonly #max: number;
  readonly maxOfCaller: number;
  readonly #ofCallers = new Map<string, number>();

  constructor(max: number, maxOfCaller: number) {
    this.#max = max;
    this.maxOfCaller = maxOfCaller;
  }

  add(caller: string | undefined, amount: number): void {
    this.#total += amount;
    if (caller === undefined) return;
    const ofCaller = (this.#ofCallers.get(caller) ?? 0) + amount;
    if (ofCaller > 0) this.#ofCallers.set(caller, ofCaller);
    else this.#ofCallers.delete(caller);
  }

  /** Whose limit so much more would exceed; `undefined` where it fits. */
  excess(caller: string | undefined, amount: number): 'all' | 'caller' | undefined {
    if (this.#total + amount > this.#max) return 'all';
    if (caller === undefined) return undefined;
    return (this.#ofCallers.get(caller) ?? 0) + amount > this.maxOfCaller ? 'caller' : undefined;
  }
}
