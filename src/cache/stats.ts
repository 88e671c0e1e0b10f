import { getHeapStatistics } from 'node:v8';

import { UpstreamError } from '../core/errors.ts';
import type { Meter } from '../upstream/http.ts';
import type { CallKind } from '../upstream/rate-limit.ts';
import { steadyNow } from '../upstream/token-source.ts';
import type { ReadResource } from './cache.ts';
import type { Tag } from './store.ts';

/** A read that was answered by an older copy, since the call failed. */
export interface StaleRead {
  /** As the interface spells it. */
  readonly operation: string;
  /** How long ago the copy was last confirmed, in milliseconds. */
  readonly ageMs: number;
}

/** An operation has made as many calls as it may. Its message is meant for the client. */
export class BudgetError extends Error {
  override readonly name = 'BudgetError';

  constructor(maxCalls: number) {
    super(
      `This operation needs call ${maxCalls + 1} to the platform, and at most ${maxCalls} are allowed; it was not made.`,
    );
  }
}

/** Tells the time in epoch milliseconds, by a clock that never goes back. */
export type Clock = () => number;

/** Bytes of the platform's responses that one operation may receive; see docs/operations.md. */
const MAX_RECEIVED_BYTES = 32 * 1024 * 1024;
/** An operation that has received no more than this is never refused for the sake of others. */
const SMALL_BYTES = 128 * 1024;
/** The most that running operations may have received together: what they take, parsed, is half of the heap. */
const MAX_IN_FLIGHT_BYTES = 128 * 1024 * 1024;
const HEAP_SHARE = 1 / 8;

/** Counts the bytes that the running operations of all callers have received. */
export class ReceivedBytes {
  readonly #max = Math.min(MAX_IN_FLIGHT_BYTES, getHeapStatistics().heap_size_limit * HEAP_SHARE);
  #bytes = 0;

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  get isFull(): boolean {
    return this.#bytes > this.#max;
  }
}

/** What one operation cost the platform, and what its answer depends on. It begins when it is made. */
export class RequestStats implements Meter {
  /** What was confirmed since then is up to date for this operation. */
  readonly startedAtMs: number;
  readonly maxCalls: number;
  /** Calls that were sent to the platform, conditional ones and retries included. */
  calls = 0;
  /** The same by operation, as the interface spells it. */
  readonly callsByOperation = new Map<string, number>();
  /** Calls to other services, by the extension that made them; they count as calls do. */
  readonly callsByExtension = new Map<string, number>();
  extensionCalls = 0;
  /** How many of the calls that it may make it has begun, of both kinds. */
  reserved = 0;
  /** Reads that waited for a call which another operation had made already. */
  coalesced = 0;
  /** Calls that were answered by 304. */
  notModified = 0;
  /** Reads that needed no call. */
  fresh = 0;
  readonly stale: StaleRead[] = [];
  /** Until when all that was read is fresh, in epoch milliseconds; infinite where nothing was read. */
  expiresAtMs = Number.POSITIVE_INFINITY;
  /** What a change invalidates of it. */
  readonly tags = new Set<Tag>();
  /** Whether the response must not be cached or shared: it depends on the viewer, is incomplete, or has stale data. */
  uncacheable = false;
  /** Whether the answer depends on the viewer. */
  isPersonal = false;
  /** Takes what is read, where somebody wants to know. */
  reads: { add(resource: ReadResource): void } | undefined = undefined;
  /** What its reads are counted as. */
  readKind: CallKind = 'read';

  readonly #all: ReceivedBytes | undefined;
  #received = 0;
  /** The operation itself, and its calls that have not ended. */
  #running = 1;

  /** @param all of the running operations; absent where what is received is not limited. */
  constructor(maxCalls = Number.POSITIVE_INFINITY, now: Clock = steadyNow, all?: ReceivedBytes) {
    this.maxCalls = maxCalls;
    this.#all = all;
    this.startedAtMs = now();
  }

  /**
   * Takes one of the calls that the operation may make, whether it will be sent or not.
   *
   * @throws {BudgetError} when none is left. @throws {UpstreamError} when it has received too much already.
   */
  reserveCall(operation: string): void {
    const failure = this.received(0);
    if (failure) throw new UpstreamError(failure, { operation, isUnsent: true });
    this.#reserve();
  }

  #reserve(): void {
    if (this.reserved >= this.maxCalls) throw new BudgetError(this.maxCalls);
    this.reserved++;
  }

  sent(operation: string): void {
    this.calls++;
    this.callsByOperation.set(operation, (this.callsByOperation.get(operation) ?? 0) + 1);
  }

  received(bytes: number): 'too-large' | 'overloaded' | undefined {
    if (this.#all === undefined) return undefined;
    this.#received += bytes;
    this.#all.add(bytes);
    if (this.#received > MAX_RECEIVED_BYTES) return 'too-large';
    return this.#all.isFull && this.#received > SMALL_BYTES ? 'overloaded' : undefined;
  }

  begin(): void {
    this.#running++;
  }

  /** To be called when the answer is made as well. What was received can leave the memory once no call goes on for others. */
  end(): void {
    this.#running--;
    if (this.#running === 0) this.#all?.add(-this.#received);
  }

  /** Counts a call of an extension to another service that is about to be made. @throws {BudgetError} */
  countExtensionCall(extension: string): void {
    this.#reserve();
    this.extensionCalls++;
    this.callsByExtension.set(extension, (this.callsByExtension.get(extension) ?? 0) + 1);
  }

  /** To be called by what depends on the viewer. */
  markPersonal(): void {
    this.isPersonal = true;
    this.uncacheable = true;
  }

  markStale(read: StaleRead): void {
    this.stale.push(read);
    this.uncacheable = true;
  }

  /** Adds what the answer depends on. */
  dependOn({ expiresAtMs, tags }: Pick<RequestStats, 'expiresAtMs'> & { readonly tags: Iterable<Tag> }): void {
    this.expiresAtMs = Math.min(this.expiresAtMs, expiresAtMs);
    for (const tag of tags) this.tags.add(tag);
  }

  /** How long caches outside may keep the answer, in milliseconds. What a change through the gateway may alter, they may not. */
  maxAgeMs(now: Clock = steadyNow): number {
    if (this.uncacheable || this.tags.size > 0 || !Number.isFinite(this.expiresAtMs)) return 0;
    return Math.max(0, this.expiresAtMs - now());
  }
}
