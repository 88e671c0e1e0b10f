import type { StaleRead } from '../../core/work.ts';
import { type HeldBytes, Holding } from './held-bytes.ts';
import type { LiveOperation } from './live-operation.ts';

/** The bytes that streams hold. */
export interface Shares {
  /** Of the results that are the latest of a stream. */
  readonly latest: HeldBytes;
  /** Of these, and of those that clients have not read. */
  readonly held: HeldBytes;
}

/** The result of a run. */
export interface Content {
  readonly json: Buffer;
  /** Whether that says that it may be out of date. */
  readonly isStale: boolean;
}

/** One result of an operation, as streams send and hold it. */
export class LiveResult {
  readonly content: Content;
  readonly isStale: boolean;
  /** The bytes for clients, which all streams share. */
  readonly parts: readonly Buffer[];
  readonly latest: Holding;
  readonly held: Holding;

  /**
   * @param operation is kept as long as the result; absent where nothing runs again.
   * @param stale why it may be out of date, where it does not say so itself.
   */
  constructor(
    content: Content,
    shares: Shares,
    operation?: Pick<LiveOperation, 'prepared' | 'request'>,
    stale: readonly StaleRead[] = [],
  ) {
    const { json, isStale } = content;
    const bytes = json.length + (operation?.request.bytes ?? 0);
    const holdingOf = (held: HeldBytes) => new Holding(held, bytes, operation && held.holdingOf(operation.prepared));
    this.content = content;
    this.isStale = isStale || stale.length > 0;
    this.parts = this.isStale && !isStale ? withStale(json, stale) : [json];
    this.latest = holdingOf(shares.latest);
    this.held = holdingOf(shares.held);
  }
}

function withStale(json: Buffer, stale: readonly StaleRead[]): readonly Buffer[] {
  return [json.subarray(0, -1), Buffer.from(`,"extensions":${JSON.stringify({ stale })}}`)];
}
