import type { ReadOptions, ReadResult } from '../records.ts';

/** A record that was read before, for the next time it is read. */
export interface Known<T> {
  readonly record: T;
  readonly validator: string | undefined;
}

/** Reads a record, on the condition that it has changed where it is known. */
export async function reread<T>(
  read: (options: ReadOptions) => Promise<ReadResult<T>>,
  known: Known<T> | undefined,
  signal: AbortSignal | undefined,
): Promise<Known<T>> {
  const result = await read({ signal, ifModifiedSince: known?.validator });
  if (!result.notModified) return result;
  if (known === undefined) throw new Error('a 304 came to what was not asked conditionally');
  return known;
}
