import { LRUCache } from 'lru-cache';

import type { Entry } from './entry.ts';
import type { ResourceKey } from './resource.ts';

/** What one scope knows, by keys of its own. */
export interface Shelf<V = Entry, K extends string = ResourceKey> {
  get(key: K): V | undefined;
  set(key: K, entry: V): void;
  delete(key: K): void;
  clear(): void;
}

/** The memory of one process: many shelves, one bound. */
export interface Memory<V = Entry, K extends string = ResourceKey> {
  /** Gives a shelf of its own. What is on it can be found by nobody who has not got it. */
  shelf(): Shelf<V, K>;
  /** About how much of the memory is taken, in bytes. */
  readonly bytes: number;
}

/** The place of an entry, known to its shelf alone: no key of another shelf can lead there. */
interface Place<K> {
  readonly key: K;
  readonly places: Map<K, Place<K>>;
}

/** A place and its bookkeeping take about so much. */
const PLACE_BYTES = 400;

/** Makes a memory of about so many bytes; what nobody wanted for longest goes first, whosever it is. */
export function createMemory<V extends { readonly bytes: number } = Entry, K extends string = ResourceKey>(
  maxBytes: number,
): Memory<V, K> {
  const entries = new LRUCache<Place<K>, V>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }, { key }) => PLACE_BYTES + 2 * key.length + Math.ceil(bytes),
    dispose: (_entry, place, reason) => {
      if (reason !== 'set' && place.places.get(place.key) === place) place.places.delete(place.key);
    },
  });

  return {
    get bytes() {
      return entries.calculatedSize;
    },
    shelf() {
      const places = new Map<K, Place<K>>();
      const drop = (place: Place<K> | undefined) => place !== undefined && entries.delete(place);
      return {
        get(key) {
          const place = places.get(key);
          return place && entries.get(place);
        },
        set(key, entry) {
          const place = places.get(key) ?? { key, places };
          places.set(key, place);
          // One that is larger than all the memory is not taken in, and disposed of at once.
          entries.set(place, entry);
          if (!entries.has(place)) places.delete(key);
        },
        delete: (key) => void drop(places.get(key)),
        clear() {
          for (const place of [...places.values()]) drop(place);
        },
      };
    },
  };
}
