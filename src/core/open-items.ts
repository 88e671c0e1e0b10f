/**
 * The items that are open at the moment, such as requests in flight: they are added and removed with every request.
 *
 * A `Set` or a `Map` would keep alive what has left it. V8 gives it a new table after every few changes, and the old table
 * refers to the new one. Once one of these tables has reached the old generation, all that follow are promoted with it, each
 * with what was open at its time, although nobody can reach them, until the next full collection.
 */
export class OpenItems<T> {
  readonly #items: (T | undefined)[] = [];
  /** The places in the list that are free. */
  readonly #free: number[] = [];

  get size(): number {
    return this.#items.length - this.#free.length;
  }

  /** Adds an item that is not there yet, and gives what removes it. */
  add(item: T): () => void {
    const at = this.#free.pop() ?? this.#items.length;
    this.#items[at] = item;
    return () => {
      if (this.#items[at] !== item) return;
      this.#items[at] = undefined;
      this.#free.push(at);
    };
  }

  /** In no particular order. */
  toArray(): readonly T[] {
    return this.#items.filter((item) => item !== undefined);
  }
}

/** The same by key. Only keys can outlive their removal. */
export class OpenMap<K, V> {
  readonly #places = new Map<K, { value: V | undefined }>();

  get(key: K): V | undefined {
    return this.#places.get(key)?.value;
  }

  set(key: K, value: V): void {
    this.delete(key);
    this.#places.set(key, { value });
  }

  delete(key: K): void {
    const place = this.#places.get(key);
    if (place === undefined) return;
    place.value = undefined;
    this.#places.delete(key);
  }
}

/** An amount that all have together, and of which each one may have a part. `undefined` stands for those who are not told apart. */
export class FairShare {
  readonly max: number;
  readonly maxOfOne: number;
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

  /** The most that one of those has who are told apart. */
  largest(): number {
    let largest = 0;
    for (const [one, amount] of this.#amounts) if (one !== undefined) largest = Math.max(largest, amount);
    return largest;
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
