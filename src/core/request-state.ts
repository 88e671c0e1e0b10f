import { getHeapStatistics } from 'node:v8';

import { AbortReason } from './abort.ts';
import { UpstreamError } from './errors.ts';

/** A cache tag. Branded, so that a plain string cannot be used as a tag. */
export type Tag = string & { readonly __brand: 'Tag' };

/** Returns the tag of these parts. Different lists of parts have different tags. */
export const toTag = (...parts: readonly string[]): Tag => JSON.stringify(parts) as Tag;

/** A read that was served from an older copy because the call failed. */
export interface StaleRead {
  /** The operation's name in the interface, with its spelling. */
  readonly operation: string;
  /** Milliseconds since the copy was last confirmed. */
  readonly ageMs: number;
}

/** The operation has reached its maximum number of calls. Clients get the message. */
export class CallLimitError extends Error {
  override readonly name = 'BudgetError';

  constructor(maxCalls: number) {
    super(
      `This operation needs call ${maxCalls + 1} to the platform, and at most ${maxCalls} are allowed; it was not made.`,
    );
  }
}

/** Returns the time in epoch milliseconds. It never goes back. */
export type Clock = () => number;

/** Returns the time in epoch milliseconds. Setting the system clock does not change it. */
export const steadyNow: Clock = () => performance.timeOrigin + performance.now();

/** The highest number of response bytes for one operation; see docs/limits.md. */
const MAX_RECEIVED_BYTES = 32 * 1024 * 1024;
/**
 * An operation that has received at most this many bytes is not refused because of other
 * operations.
 */
const SMALL_BYTES = 128 * 1024;
/**
 * The highest number of response bytes for all running operations. Parsed, they fill half of the
 * heap.
 */
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

interface RequestStateOptions {
  /** The highest number of calls for the operation. Unlimited by default. */
  readonly maxCalls?: number;
  /** The counter of all running operations. Without it, response bytes are not limited. */
  readonly received?: ReceivedBytes | undefined;
  /** The caller's key for limits. `undefined` for the gateway's own work. */
  readonly caller?: string | undefined;
  /** The caller's name in metrics and log lines. The default is `gateway`. */
  readonly callerName?: string | undefined;
  /** A signal in place of its own. `abort` then has no effect on `signal`. */
  readonly signal?: AbortSignal;
  readonly now?: Clock;
  /** The kind of its reads in the call budget; `read` by default. */
  readonly readKind?: string;
}

/**
 * The state of one operation from the arrival of its request: its abort signal, its calls to the
 * platform, and the freshness and tags of its response.
 */
export class RequestState {
  readonly caller: string | undefined;
  readonly callerName: string;
  /**
   * Aborts when the client disconnects, the deadline passes, or the gateway stops. The reason is an
   * `AbortReason` with the cause.
   */
  readonly signal: AbortSignal;
  /**
   * A copy that was confirmed after this time is fresh for this operation. In epoch milliseconds.
   */
  startedAtMs: number;
  readonly maxCalls: number;
  /** The names of the calls to the platform, including conditional calls and retries. */
  readonly sentCalls: string[] = [];
  /** The extension of each call to another service. These calls count towards `maxCalls`. */
  readonly extensionCalls: string[] = [];
  /** The number of reserved calls of both kinds. */
  reserved = 0;
  /** The number of reads that joined a call of another operation. */
  coalesced = 0;
  /** The number of calls with a 304 response. */
  notModified = 0;
  /** The number of reads from fresh copies. */
  fresh = 0;
  readonly stale: StaleRead[] = [];
  /**
   * The earliest expiry of the data that was read, in epoch milliseconds. Infinite before the first
   * read.
   */
  expiresAtMs = Number.POSITIVE_INFINITY;
  /** The cache tags of the data that was read. A change of one of them invalidates the response. */
  readonly tags = new Set<Tag>();
  /**
   * Whether the response must not be cached or shared. True if it depends on the viewer, is
   * incomplete, or contains stale data.
   */
  uncacheable = false;
  /** The kind of its reads in the call budget. */
  readonly readKind: string;
  /** Whether the operation repeats its reads. Copies are then cached at once. */
  isRepeated = false;

  readonly #all: ReceivedBytes | undefined;
  #received = 0;
  /** The number of unfinished calls, plus one for the operation itself. */
  #running = 1;
  readonly #own = new AbortController();
  #waiting = 0;

  constructor(options: RequestStateOptions = {}) {
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

  /** The number of calls that were sent to the platform. */
  get calls(): number {
    return this.sentCalls.length;
  }

  abort(reason: AbortReason): void {
    this.#own.abort(reason);
  }

  /**
   * Adds a request that waits for this work. Returns the function that the request calls when it
   * leaves. The work is aborted when all of them have left.
   */
  share(): () => void {
    this.#waiting++;
    return () => {
      this.#waiting--;
      if (this.#waiting === 0) this.abort(new AbortReason('cancelled'));
    };
  }

  /**
   * Reserves one of the operation's calls. The reservation counts even if the call is never sent.
   *
   * @throws {CallLimitError} if all calls are reserved.
   * @throws {UpstreamError} if the operation has already received too many bytes.
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

  /**
   * Counts received bytes. Returns a failure if a limit is exceeded; the call then ends with it.
   */
  received(bytes: number): 'too-large' | 'overloaded' | undefined {
    if (this.#all === undefined) return undefined;
    this.#received += bytes;
    this.#all.add(bytes);
    if (this.#received > MAX_RECEIVED_BYTES) return 'too-large';
    return this.#all.isFull && this.#received > SMALL_BYTES ? 'overloaded' : undefined;
  }

  /** Call this when a call begins. */
  begin(): void {
    this.#running++;
  }

  /**
   * Call this when a call ends, and when the response is written. The last of these calls releases
   * the received bytes from the shared counter.
   */
  finish(): void {
    this.#running--;
    if (this.#running > 0) return;
    this.#all?.add(-this.#received);
    this.#received = 0;
  }

  /**
   * Counts a call of an extension to another service, before it is made.
   *
   * @throws {CallLimitError} if all calls are reserved.
   */
  countExtensionCall(extension: string): void {
    this.#reserve();
    this.extensionCalls.push(extension);
  }

  /** Call this for data that depends on the viewer. */
  markPersonal(): void {
    this.uncacheable = true;
  }

  markStale(read: StaleRead): void {
    this.stale.push(read);
    this.uncacheable = true;
  }

  /** Adds the expiry and the tags of data that was read. */
  dependOn({
    expiresAtMs,
    tags,
  }: Pick<RequestState, 'expiresAtMs'> & { readonly tags: Iterable<Tag> }): void {
    this.expiresAtMs = Math.min(this.expiresAtMs, expiresAtMs);
    for (const tag of tags) this.tags.add(tag);
  }

  /**
   * Returns how long external caches may keep the response, in milliseconds. 0 for data with tags,
   * because a change through the gateway may alter it.
   */
  maxAgeMs(now: Clock = steadyNow): number {
    if (this.uncacheable || this.tags.size > 0 || !Number.isFinite(this.expiresAtMs)) return 0;
    return Math.max(0, this.expiresAtMs - now());
  }
}
