import { isRetryable } from 'caseway/client';

import type { Gateway, Operation } from './gateway.ts';
import type { Store } from './store.ts';

/** The data of a query and its source. */
export interface Answer {
  readonly data: unknown;
  /** `stored`: the gateway does not respond, so this is its last response. */
  readonly from: 'gateway' | 'unchanged' | 'stored';
  /** The time of the gateway's response, in epoch milliseconds. */
  readonly asOfMs: number;
}

interface Stored {
  readonly data: unknown;
  readonly etag: string | undefined;
  readonly asOfMs: number;
}

/**
 * Runs a query at the gateway. If the gateway cannot be reached, returns its last response.
 *
 * @throws the gateway's error if there is no stored response, or if it must not be shown.
 */
export async function answer(
  operation: Operation,
  gateway: Gateway,
  store: Store,
  now: () => number,
): Promise<Answer> {
  const name = JSON.stringify(operation);
  const stored = store.read<Stored>(name);
  try {
    const { data = stored?.data, etag = stored?.etag } = await gateway.query(
      operation,
      stored?.etag,
    );
    const asOfMs = now();
    store.write(name, { data, etag, asOfMs });
    return { data, from: data === stored?.data ? 'unchanged' : 'gateway', asOfMs };
  } catch (error) {
    // A person whose session has ended must not see it.
    if (stored === undefined || !isRetryable(error, 'read')) throw error;
    return { data: stored.data, from: 'stored', asOfMs: stored.asOfMs };
  }
}
