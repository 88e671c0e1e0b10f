import { LRUCache } from 'lru-cache';

import { type Clock, ReceivedBytes, steadyNow, type Tag } from '../core/request-state.ts';
import type { ReadResult } from '../upstream/records.ts';

/**
 * The tags that may have changed. `everything` is all data except definitions, which no operation
 * of the interface changes.
 */
export type Invalidation = readonly Tag[] | 'everything';

/** How long copies are fresh, in milliseconds. */
export interface CacheLifetimes {
  readonly definitionsMs: number;
  readonly instancesMs: number;
  /** The highest age of a stale copy after a failed call. 0 disables stale copies. */
  readonly staleIfErrorMs: number;
}

interface StoreOptions extends Partial<CacheLifetimes> {
  /** The approximate memory limit for the caches of all callers, in bytes. */
  readonly maxBytes?: number;
  /** The highest number of tags with their own generation. Beyond it, everything is invalidated. */
  readonly maxTags?: number;
  readonly now?: Clock;
}

/** A cached copy. */
export interface CacheEntry extends ReadResult<unknown> {
  /**
   * The start of the call that confirmed the copy. `generation` is the number of changes at that
   * time. The copy may miss later changes.
   */
  readonly confirmedAtMs: number;
  readonly generation: number;
}

/** The part of the cache for one caller. */
export interface CachePartition {
  /** Returns the key of an entry. */
  keyOf(name: string): string;
  /** Disconnects all entries from the partition. Their memory is freed when it is needed. */
  clear(): void;
}

/** The measured memory of an entry without its record. */
const OVERHEAD_BYTES = 1_000;
/** The highest number of keys that are remembered without a copy. */
const MAX_ASKED = 65_536;

/**
 * The state that the caches of all callers share: memory, lifetimes and the number of changes. All
 * callers see each other's changes, but no caller reads another's data.
 */
export class CacheStore {
  readonly lifetimes: CacheLifetimes;
  readonly now: Clock;
  /** Counts the bytes that the running operations of all callers have received. */
  readonly received = new ReceivedBytes();
  readonly entries: LRUCache<string, CacheEntry>;
  /** The number of writes so far. A result from before a write must not be served after it. */
  generation = 0;
  readonly #maxTags: number;
  /** The hashes of recent keys. Each hash has one slot. */
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

  /** The approximate memory of all copies, in bytes. */
  get bytes(): number {
    return this.entries.calculatedSize;
  }

  /**
   * Notes the use of a key, and returns whether it was used before. A key that is used only once is
   * not worth its memory.
   */
  isAskedAgain(key: string): boolean {
    const code = hashOf(key);
    const place = code % MAX_ASKED;
    const isKnown = this.#asked[place] === code;
    this.#asked[place] = code;
    return isKnown;
  }

  /**
   * Call this after every change, whatever its outcome. `isOwn` is false for changes through
   * another process.
   */
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

  /**
   * Adds a listener for changes through any process. `isOwn` is true for changes through this one.
   */
  onChange(listener: (changed: Invalidation, isOwn: boolean) => void): void {
    this.#listeners.push(listener);
  }

  /** Returns whether one of these tags may have been invalidated after this generation. */
  isStale(tags: Iterable<Tag>, since: number): boolean {
    if (since === this.generation) return false;
    for (const tag of tags) {
      if (Math.max(this.#everythingAt, this.#invalidatedAt.get(tag) ?? 0) > since) return true;
    }
    return false;
  }

  /** Creates the partition of one caller. Its keys never match another caller's entries. */
  partition(): CachePartition {
    let prefix = `${this.#partitions++} `;
    return {
      keyOf: (name) => prefix + name,
      clear: () => {
        prefix = `${this.#partitions++} `;
      },
    };
  }
}

/** FNV-1a with 32 bits. After a collision a key is only cached one read earlier. */
function hashOf(text: string): number {
  let code = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) code = Math.imul(code ^ text.charCodeAt(at), 0x01000193);
  return code >>> 0;
}
