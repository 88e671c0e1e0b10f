import { LRUCache } from 'lru-cache';

import type { Entry } from './entry.ts';
import type { ResourceKey } from './resource.ts';

/** What one scope knows. */
export interface Shelf {
  get(key: ResourceKey): Entry | undefined;
  set(key: ResourceKey, entry: Entry): void;
  delete(key: ResourceKey): void;
  clear(): void;
}

/** The memory of one process: many shelves, one bound. */
export interface Memory {
  /** Gives a shelf of its own. What is on it can be found by nobody who has not got it. */
  shelf(): Shelf;
  /** About how much of the memory is taken, in bytes. */
  readonly bytes: number;
}

/** The place of an entry, known to its shelf alone: no key of another shelf can lead there. */
interface Place {
  readonly key: ResourceKey;
  readonly places: Map<ResourceKey, Place>;
}

/** A place and its bookkeeping take about so much. */
const PLACE_BYTES = 400;

/** Makes a memory of about so many bytes; what nobody wanted for longest goes first, whosever it is. */
export function createMemory(maxBytes: number): Memory {
  const entries = new LRUCache<Place, Entry>({
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
      const places = new Map<ResourceKey, Place>();
      const drop = (place: Place | undefined) => place !== undefined && entries.delete(place);
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
