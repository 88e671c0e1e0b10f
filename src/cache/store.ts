import { LRUCache } from 'lru-cache';

import { type Clock, ReceivedBytes, steadyNow, type Tag } from '../core/work.ts';
import type { ReadResult } from '../upstream/records.ts';

/** What may have been changed: that of the tags, or all but the definitions, which no operation of the interface changes. */
export type Invalidation = readonly Tag[] | 'everything';

/** How long copies serve, in milliseconds. */
export interface CacheLifetimes {
  readonly definitionsMs: number;
  readonly instancesMs: number;
  /** How old a copy may be that answers when the call fails; 0 is never. */
  readonly staleIfErrorMs: number;
}

interface StoreOptions extends Partial<CacheLifetimes> {
  /** About how much memory the caches of all callers may take. */
  readonly maxBytes?: number;
  /** How many tags have a generation of their own; beyond that, all of them are invalidated. */
  readonly maxTags?: number;
  readonly now?: Clock;
}

/** A copy as the platform last confirmed it. */
export interface Entry extends ReadResult<unknown> {
  /** When the call began that confirmed it, and what had been changed by then: what changed later it may lack. */
  readonly confirmedAtMs: number;
  readonly generation: number;
}

export type Partition = ReturnType<CacheStore['partition']>;

/** The bookkeeping of an entry takes about so much, as measured. */
const OVERHEAD_BYTES = 1_000;
/** How many keys are remembered without a copy. */
const MAX_ASKED = 65_536;

/**
 * The state that the caches of all callers of one platform share: space, lifetimes and the count of changes, so that all callers
 * see what one of them changes, but no caller reads another's data.
 */
export class CacheStore {
  readonly lifetimes: CacheLifetimes;
  readonly now: Clock;
  /** By the operations of all callers that run. */
  readonly received = new ReceivedBytes();
  readonly entries: LRUCache<string, Entry>;
  /** The number of writes so far: a result read before one must not be served afterwards. */
  generation = 0;
  readonly #maxTags: number;
  /** The hashes of keys that were asked for lately, each at a place of its own. */
  readonly #asked = new Uint32Array(MAX_ASKED);
  readonly #invalidatedAt = new Map<Tag, number>();
  readonly #listeners: ((changed: Invalidation, isOwn: boolean) => void)[] = [];
  #everythingAt = 0;
  #partitions = 0;

  constructor(options: StoreOptions = {}) {
    const { definitionsMs = 60_000, instancesMs = 0, staleIfErrorMs = 0 } = options;
    const { maxBytes = 16 * 1024 * 1024, maxTags = 10_000, now = steadyNow } = options;
    this.lifetimes = { definitionsMs, instancesMs, staleIfErrorMs };
    this.now = now;
    this.entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }, key) => OVERHEAD_BYTES + key.length + Math.ceil(bytes),
    });
    this.#maxTags = maxTags;
  }

  /** About how much memory is taken. */
  get bytes(): number {
    return this.entries.calculatedSize;
  }

  /** Notes that a key was asked for. Gives whether it was before: what nobody asks for again is not worth its memory. */
  isAskedAgain(key: string): boolean {
    const code = hashOf(key);
    const place = code % MAX_ASKED;
    const isKnown = this.#asked[place] === code;
    this.#asked[place] = code;
    return isKnown;
  }

  /** To be called after every change, whatever its outcome; `isOwn` tells one through this process from another's. */
  invalidate(changed: Invalidation, isOwn = true): void {
    this.generation++;
    const isEverything = changed === 'everything';
    if (isEverything || this.#invalidatedAt.size >= this.#maxTags) {
      this.#everythingAt = this.generation;
      this.#invalidatedAt.clear();
    }
    for (const tag of isEverything ? [] : changed) this.#invalidatedAt.set(tag, this.generation);
    for (const listener of this.#listeners) listener(changed, isOwn);
  }

  /** Calls back after each change through any process; `isOwn` for one through this process. */
  onChange(listener: (changed: Invalidation, isOwn: boolean) => void): void {
    this.#listeners.push(listener);
  }

  /** Whether one of these tags may have been invalidated after that generation. */
  isStale(tags: Iterable<Tag>, since: number): boolean {
    if (since === this.generation) return false;
    for (const tag of tags) {
      if (Math.max(this.#everythingAt, this.#invalidatedAt.get(tag) ?? 0) > since) return true;
    }
    return false;
  }

  /** Gives one caller's part of the store: the key of a name leads to nothing of anybody else's. */
  partition() {
    let prefix = `${this.#partitions++} `;
    return {
      keyOf: (name: string) => prefix + name,
      /** Puts all that lies there out of reach; it leaves the memory when its space is needed. */
      clear: () => {
        prefix = `${this.#partitions++} `;
      },
    };
  }
}

/** FNV-1a, of 32 bits: who shares a hash by chance is only kept a read earlier. */
function hashOf(text: string): number {
  let code = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) code = Math.imul(code ^ text.charCodeAt(at), 0x01000193);
  return code >>> 0;
}
