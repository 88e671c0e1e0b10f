/**
 * Loads every key on its own and keeps each key's failure to itself, as a batch of a loader must: the result at
 * position i is the value or the error of key i.
 */
export function settleEach<K, V>(keys: readonly K[], load: (key: K) => Promise<V>): Promise<(V | Error)[]> {
  return Promise.all(keys.map((key) => load(key).catch(toError)));
}

const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
