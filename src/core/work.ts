import { getHeapStatistics } from 'node:v8';

import { AbortReason } from './abort.ts';
import { UpstreamError } from './errors.ts';

/** Names what an answer depends on. Branded, so that no raw string can be one. */
export type Tag = string & { readonly __brand: 'Tag' };

/** A tuple's text, so that no two tuples make one. */
export const toTag = (...parts: readonly string[]): Tag => JSON.stringify(parts) as Tag;

/** A read that was answered by an older copy, since the call failed. */
export interface StaleRead {
  /** As the interface spells it. */
  readonly operation: string;
  /** How long ago the copy was last confirmed, in milliseconds. */
  readonly ageMs: number;
}

/** An operation has made as many calls as it may. Its message is meant for the client. */
export class CallLimitError extends Error {
  override readonly name = 'BudgetError';

  constructor(maxCalls: number) {
    super(
      `This operation needs call ${maxCalls + 1} to the platform, and at most ${maxCalls} are allowed; it was not made.`,
    );
  }
}

/** Tells the time in epoch milliseconds, by a clock that never goes back. */
export type Clock = () => number;

/** The time in epoch milliseconds, by a clock that does not change when the wall clock is set. */
export const steadyNow: Clock = () => performance.timeOrigin + performance.now();

/** Bytes of the platform's responses that one operation may receive; see docs/limits.md. */
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

interface WorkOptions {
  /** How many calls the operation may make. */
  readonly maxCalls?: number;
  /** By all running operations; absent where what is received is not limited. */
  readonly received?: ReceivedBytes | undefined;
  /** Whose operation it is, as limits count; `undefined` for the gateway's own work. */
  readonly caller?: string | undefined;
  /** In figures and log lines; the gateway itself where absent. */
  readonly callerName?: string | undefined;
  /** In place of its own, which `abort` aborts. */
  readonly signal?: AbortSignal;
  readonly now?: Clock;
  /** The kind of its reads in the call budget; `read` by default. */
  readonly readKind?: string;
}

/**
 * The work of one operation, from its request's arrival on: when it ends early, what it costs the platform, and what its answer
 * depends on.
 */
export class Work {
  readonly caller: string | undefined;
  readonly callerName: string;
  /**
   * Aborts when the client disconnects, when the deadline passes, or when the gateway stops, whichever comes first; the reason
   * is an `AbortReason` that says which.
   */
  readonly signal: AbortSignal;
  /** Copies confirmed since then are up to date for this operation. */
  startedAtMs: number;
  readonly maxCalls: number;
  /** The calls that were sent to the platform, conditional ones and retries included, each as the interface spells it. */
  readonly sentCalls: string[] = [];
  /** The calls to other services, each by the extension that made it; they count as calls do. */
  readonly extensionCalls: string[] = [];
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
  /** The tags by which a change invalidates it. */
  readonly tags = new Set<Tag>();
  /** Whether the response must not be cached or shared: it depends on the viewer, is incomplete, or has stale data. */
  uncacheable = false;
  /** The kind of its reads in the call budget. */
  readonly readKind: string;
  /** Whether it will read the same again, so that copies are kept at once. */
  isRepeated = false;

  readonly #all: ReceivedBytes | undefined;
  #received = 0;
  /** The operation itself, and its calls that have not ended. */
  #running = 1;
  readonly #own = new AbortController();
  #waiting = 0;

  constructor(options: WorkOptions = {}) {
    const {
      maxCalls = Number.POSITIVE_INFINITY,
      received,
      caller,
      signal = this.#own.signal,
      now = steadyNow,
    } = options;
    this.callerName = options.callerName ?? 'gateway';
    this.maxCalls = maxCalls;
    this.readKind = options.readKind ?? 'read';
    this.caller = caller;
    this.startedAtMs = now();
    this.#all = received;
    this.signal = signal;
  }

  /** How many calls were sent to the platform. */
  get calls(): number {
    return this.sentCalls.length;
  }

  abort(reason: AbortReason): void {
    this.#own.abort(reason);
  }

  /** Lets one more request wait for it. It is aborted when all of them have left, each by calling what this returns. */
  share(): () => void {
    this.#waiting++;
    return () => {
      this.#waiting--;
      if (this.#waiting === 0) this.abort(new AbortReason('cancelled'));
    };
  }

  /**
   * Takes one of the calls that the operation may make, whether it will be sent or not.
   *
   * @throws {CallLimitError} when none is left. @throws {UpstreamError} when it has received too much already.
   */
  reserveCall(operation: string): void {
    const failure = this.received(0);
    if (failure) throw new UpstreamError(failure, { operation, isUnsent: true });
    this.#reserve();
  }

  #reserve(): void {
    if (this.reserved >= this.maxCalls) throw new CallLimitError(this.maxCalls);
    this.reserved++;
  }

  /** Counts bytes of a response, and gives the failure that ends the call where they are too many. */
  received(bytes: number): 'too-large' | 'overloaded' | undefined {
    if (this.#all === undefined) return undefined;
    this.#received += bytes;
    this.#all.add(bytes);
    if (this.#received > MAX_RECEIVED_BYTES) return 'too-large';
    return this.#all.isFull && this.#received > SMALL_BYTES ? 'overloaded' : undefined;
  }

  /** To be called when a call begins. */
  begin(): void {
    this.#running++;
  }

  /** To be called when a call has ended, and when the answer is made. What was received can leave the memory with the last. */
  finish(): void {
    this.#running--;
    if (this.#running > 0) return;
    this.#all?.add(-this.#received);
    this.#received = 0;
  }

  /** Counts a call of an extension to another service that is about to be made. @throws {CallLimitError} */
  countExtensionCall(extension: string): void {
    this.#reserve();
    this.extensionCalls.push(extension);
  }

  /** To be called by what depends on the viewer. */
  markPersonal(): void {
    this.uncacheable = true;
  }

  markStale(read: StaleRead): void {
    this.stale.push(read);
    this.uncacheable = true;
  }

  /** Adds what the answer depends on. */
  dependOn({
    expiresAtMs,
    tags,
  }: Pick<Work, 'expiresAtMs'> & { readonly tags: Iterable<Tag> }): void {
    this.expiresAtMs = Math.min(this.expiresAtMs, expiresAtMs);
    for (const tag of tags) this.tags.add(tag);
  }

  /** How long caches outside may keep the answer, in milliseconds. What a change through the gateway may alter, they may not. */
  maxAgeMs(now: Clock = steadyNow): number {
    if (this.uncacheable || this.tags.size > 0 || !Number.isFinite(this.expiresAtMs)) return 0;
    return Math.max(0, this.expiresAtMs - now());
  }
}
