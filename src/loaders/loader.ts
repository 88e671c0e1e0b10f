import { later, type MaybeLater } from './later.ts';
import { settleEach } from './settle-each.ts';

/** Loads values by key: each once, and those that are asked for at about the same time together. */
export interface Loader<K, V> {
  /**
   * Gives a value at once where it is known, else later, together with all others of its batch.
   *
   * @throws what loading it failed with, where that is known already.
   */
  get(key: K): MaybeLater<V>;
  load(key: K): Promise<V>;
  /** Gives the value of each key, or what it failed with. */
  loadMany(keys: readonly K[]): Promise<(V | Error)[]>;
  /** Takes rows that were read some other way for the values of their keys, where none is known; none has failed. */
  prime(rows: readonly NonNullable<V>[]): void;
  /** Forgets everything. Who waits already gets what they wait for. */
  clear(): void;
}

interface LoaderOptions<K, V> {
  /** Gives the value or the error of each key, in the order of the keys; all are different. */
  readonly loadBatch: (keys: readonly K[]) => Promise<readonly (V | Error)[]>;
  /** Tells keys apart. */
  readonly nameOf: (key: K) => string;
  /** Gives the key of a row that was read some other way. */
  readonly keyOf?: (row: NonNullable<V>) => K;
}

/** Keys that are loaded together. */
interface Batch<K, V> {
  readonly keys: K[];
  /** Resolves when the results are there. */
  readonly promise: Promise<void>;
  readonly results: () => readonly (V | Error)[] | undefined;
}

/** Makes a loader. It remembers all that it has loaded, so it lives as long as one operation. */
export function createLoader<K, V>({ loadBatch, nameOf, keyOf }: LoaderOptions<K, V>): Loader<K, V> {
  const known = new Map<string, () => MaybeLater<V>>();
  // Most lists are never asked for their rows by key, so rows are named when somebody does.
  let unnamed: NonNullable<V>[] = [];
  let filling: Batch<K, V> | undefined;

  const startBatch = (): Batch<K, V> => {
    const keys: K[] = [];
    let results: readonly (V | Error)[] | undefined;
    const promise = untilAllHaveAsked().then(async () => {
      if (filling === batch) filling = undefined;
      results = await loadBatch(keys).catch((error) => keys.map(() => error));
    });
    const batch = { keys, promise, results: () => results };
    return batch;
  };
  const ask = (key: K): (() => MaybeLater<V>) => {
    filling ??= startBatch();
    const { keys, promise, results } = filling;
    const index = keys.push(key) - 1;
    const resume = () => open(results()?.[index] as V | Error);
    const waiting = later(promise, resume);
    return () => (results() ? resume() : waiting);
  };
  const nameRows = () => {
    for (const row of unnamed) {
      const name = keyOf ? nameOf(keyOf(row)) : '';
      if (!known.has(name)) known.set(name, () => row);
    }
    unnamed = [];
  };
  const get = (key: K): MaybeLater<V> => {
    if (unnamed.length > 0) nameRows();
    const name = nameOf(key);
    const entry = known.get(name) ?? ask(key);
    known.set(name, entry);
    return entry();
  };
  const load = async (key: K): Promise<V> => get(key);

  return {
    get,
    load,
    loadMany: (keys) => settleEach(keys, load),
    prime(rows) {
      unnamed = [...unnamed, ...rows];
    },
    clear() {
      known.clear();
      unnamed = [];
      filling = undefined;
    },
  };
}

function open<V>(result: V | Error): V {
  if (result instanceof Error) throw result;
  return result;
}

/** Resolves when all that is ready to go on has gone on, so that whoever asks along with the first is in its batch. */
const untilAllHaveAsked = (): Promise<void> =>
  Promise.resolve().then(() => new Promise((resolve) => process.nextTick(resolve)));
