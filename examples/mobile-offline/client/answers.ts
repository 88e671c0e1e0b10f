import { type Gateway, LostError, OfflineError, type Operation, RefusedError } from './gateway.ts';
import type { Store } from './store.ts';

/** An answer, and where it came from. */
export interface Answer {
  readonly data: unknown;
  /** `stored`: the gateway did not answer, so this is its last answer. */
  readonly from: 'gateway' | 'unchanged' | 'stored';
  /** When the gateway last gave it, in epoch milliseconds. */
  readonly asOfMs: number;
}

interface Stored {
  readonly data: unknown;
  readonly etag: string | undefined;
  readonly asOfMs: number;
}

/**
 * Answers a query: from the gateway while it can be reached, else with its last answer.
 *
 * @throws the gateway's error where there is no last answer, or where it must not be shown.
 */
export async function answer(operation: Operation, gateway: Gateway, store: Store, now: () => number): Promise<Answer> {
  const name = JSON.stringify(operation);
  const stored = store.read<Stored>(name);
  try {
    const { data = stored?.data, etag = stored?.etag } = await gateway.query(operation, stored?.etag);
    const asOfMs = now();
    store.write(name, { data, etag, asOfMs });
    return { data, from: data === stored?.data ? 'unchanged' : 'gateway', asOfMs };
  } catch (error) {
    if (stored === undefined || !isPassing(error)) throw error;
    return { data: stored.data, from: 'stored', asOfMs: stored.asOfMs };
  }
}

/** The last answer may be shown while nobody answers, and not to somebody whose session has ended. */
const isPassing = (error: unknown): boolean =>
  error instanceof OfflineError || error instanceof LostError || (error instanceof RefusedError && error.isRetryable);
