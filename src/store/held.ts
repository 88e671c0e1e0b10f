import { hash } from 'node:crypto';

import type { ReadResult } from '../upstream/records.ts';
import { type Content, fixedContent } from './content.ts';

/** Names what an answer said: equal versions of a resource mean equal records. Branded, so that no raw string can be one. */
export type Version = string & { readonly __brand: 'Version' };

/** What somebody holds of a resource, and how to tell whether it still holds. Records are shared: nobody changes them. */
export interface Held<T> {
  readonly content: Content<T>;
  readonly version: Version;
  /** What to send as `If-Modified-Since`; `undefined` where a 304 to it could hide a change. */
  readonly validator: string | undefined;
  /** About how much memory the record takes. */
  readonly bytes: number;
}

/** What a read gave. */
export interface Reading<T> extends Held<T> {
  /** Whether the platform said by 304 that what was held still holds. */
  readonly isNotModified: boolean;
}

const ABSENT = 'absent' as Version;

/** Whether the platform said that it has no such thing. */
export const isAbsent = ({ version }: Held<unknown>): boolean => version === ABSENT;

/** Gives what is held after a read: what was held, where that still holds. */
export function toReading(result: ReadResult<unknown>, held: Held<unknown> | undefined): Reading<unknown> {
  if (result.notModified) {
    if (held === undefined) throw new Error('a 304 came to what was not asked conditionally');
    return { ...held, isNotModified: true };
  }
  const { record, validator, bytes } = result;
  const version = record === undefined ? ABSENT : (hash('sha256', JSON.stringify(record), 'base64url') as Version);
  const content = version === held?.version ? held.content : fixedContent(record);
  return { content, version, validator, bytes, isNotModified: false };
}
