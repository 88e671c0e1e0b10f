import { LRUCache } from 'lru-cache';

import { type Clock, ReceivedBytes, steadyNow, type Tag } from '../core/work.ts';

/** The data that a change may have changed: instances and the lists of their form, those lists alone, or any instance at all. */
export type Change =
  | { readonly formId: string; readonly instanceId?: string | readonly string[] | undefined }
  | 'everything';

const toTag = (...parts: readonly string[]) => JSON.stringify(parts) as Tag;

/** The tags of entries. Definitions have none: no operation of the interface changes them. */
export const TAGS = {
  instance: (formId: string, instanceId: string): readonly Tag[] => [toTag('instance', formId, instanceId)],
  /** Of all pages, whatever they are searched and ordered by, and of look-ups by ids. */
  lists: (formId: string): readonly Tag[] => [toTag('lists', formId)],
} as const;

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
export interface Entry {
  readonly record: object | undefined;
  /** About how much memory it takes. */
  readonly bytes: number;
  readonly validator: string | undefined;
  /** When the call began that confirmed it, and what had been changed by then: what changed later it may lack. */
  readonly confirmedAtMs: number;
  readonly generation: number;
}

/** The result of a query. */
export interface QueryResult {
  /** `undefined` where it was refused. */
  readonly text: string | undefined;
  readonly errors: readonly unknown[];
}

/** A result that serves again until it expires or something that it depends on is changed. */
export interface KeptResponse {
  readonly result: QueryResult;
  readonly bytes: number;
  readonly expiresAtMs: number;
  readonly tags: ReadonlySet<Tag>;
  /** The changes that were known when it was made. */
  readonly generation: number;
}

export type Partition = ReturnType<CacheStore['partition']>;

/** The bookkeeping of an entry takes about so much, as measured. */
const OVERHEAD_BYTES = 1_000;
/** The part of the memory that whole responses may take. */
const RESPONSES_SHARE = 0.2;
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
  readonly responses: LRUCache<string, KeptResponse>;
  readonly #maxTags: number;
  /** The hashes of keys that were asked for lately, each at a place of its own. */
  readonly #asked = new Uint32Array(MAX_ASKED);
  readonly #invalidatedAt = new Map<Tag, number>();
  readonly #listeners: ((change: Change, isOwn: boolean) => void)[] = [];
  #everythingAt = 0;
  #generation = 0;
  #partitions = 0;

  constructor(options: StoreOptions = {}) {
    const { definitionsMs = 60_000, instancesMs = 0, staleIfErrorMs = 0 } = options;
    const { maxBytes = 16 * 1024 * 1024, maxTags = 10_000, now = steadyNow } = options;
    const lru = <V extends object>(share: number, bytesOf: (value: V) => number) =>
      new LRUCache<string, V>({
        maxSize: Math.max(1, Math.floor(maxBytes * share)),
        sizeCalculation: (value, key) => OVERHEAD_BYTES + key.length + Math.ceil(bytesOf(value)),
      });
    this.lifetimes = { definitionsMs, instancesMs, staleIfErrorMs };
    this.now = now;
    this.entries = lru(1 - RESPONSES_SHARE, ({ bytes }) => bytes);
    this.responses = lru(RESPONSES_SHARE, ({ bytes }) => bytes);
    this.#maxTags = maxTags;
  }

  /** About how much memory is taken. */
  get bytes(): number {
    return this.entries.calculatedSize + this.responses.calculatedSize;
  }

  /** Notes that a key was asked for. Gives whether it was before: what nobody asks for again is not worth its memory. */
  isAskedAgain(key: string): boolean {
    const code = hashOf(key);
    const place = code % MAX_ASKED;
    const isKnown = this.#asked[place] === code;
    this.#asked[place] = code;
    return isKnown;
  }

  /** The number of writes so far: a result read before one must not be served afterwards. */
  get generation(): number {
    return this.#generation;
  }

  /** To be called after every change through this process, whatever its outcome. */
  invalidate(change: Change): void {
    this.apply(change, true);
  }

  /** Takes in a change; `isOwn` tells one through this process from another's. */
  apply(change: Change, isOwn = false): void {
    this.#generation++;
    if (change === 'everything' || this.#invalidatedAt.size >= this.#maxTags) {
      this.#everythingAt = this.#generation;
      this.#invalidatedAt.clear();
    }
    for (const tag of change === 'everything' ? [] : tagsOf(change)) this.#invalidatedAt.set(tag, this.#generation);
    for (const listener of this.#listeners) listener(change, isOwn);
  }

  /** Calls back after each change through any process; `isOwn` for one through this process. */
  onChange(listener: (change: Change, isOwn: boolean) => void): void {
    this.#listeners.push(listener);
  }

  /** Whether one of these tags may have been invalidated after that generation. */
  isStale(tags: Iterable<Tag>, since: number): boolean {
    if (since === this.#generation) return false;
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

const tagsOf = ({ formId, instanceId = [] }: Exclude<Change, string>): readonly Tag[] => [
  ...TAGS.lists(formId),
  ...[instanceId].flat().flatMap((id) => TAGS.instance(formId, id)),
];

/**
 * Derives what a mutation changes from its input: one of an instance changes it and the lists of its form, which alone can hold
 * it. A case's activity and a rule may change anything.
 */
export function changeOf(input: object): Change {
  const { formId, instanceId } = input as { readonly formId?: unknown; readonly instanceId?: unknown };
  if (typeof formId !== 'string') return 'everything';
  return { formId, instanceId: typeof instanceId === 'string' ? instanceId : undefined };
}

/** FNV-1a, of 32 bits: who shares a hash by chance is only kept a read earlier. */
function hashOf(text: string): number {
  let code = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) code = Math.imul(code ^ text.charCodeAt(at), 0x01000193);
  return code >>> 0;
}
