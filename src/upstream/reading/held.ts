import { hash } from 'node:crypto';

import type { Dialect } from '../dialect.ts';
import { isNotFound } from '../errors.ts';
import type { AnswerHeaders, WholeAnswer } from '../reception.ts';
import { type Content, fixedContent } from './content.ts';

/** Names what an answer said: equal versions of a resource mean equal records. Branded, so that no raw string can be one. */
export type Version = string & { readonly __brand: 'Version' };

/** What somebody holds of a resource, and how to tell whether it still holds. Records are shared: nobody changes them. */
export interface Held<T> {
  readonly content: Content<T>;
  readonly version: Version;
  /** What to send as `If-Modified-Since`; `undefined` where a 304 to it could hide a change. */
  readonly validator: string | undefined;
  /** About how much memory the record takes; its text takes less. */
  readonly bytes: number;
}

/** What a read gave. */
export interface Reading<T> extends Held<T> {
  /** Whether the platform said by 304 that what was held still holds. */
  readonly isNotModified: boolean;
}

/** How a read is asked. */
export interface Asking<T> {
  readonly signal?: AbortSignal | undefined;
  /** What the asker holds: it is asked whether that has changed, and nothing is parsed that says the same again. */
  readonly held?: Held<T> | undefined;
}

/** That the platform has no such thing is something to know, too. */
const ABSENT: Reading<undefined> = {
  content: fixedContent(undefined),
  version: 'absent' as Version,
  validator: undefined,
  bytes: 100,
  isNotModified: false,
};

/** Whether the platform said that it has no such thing. */
export const isAbsent = ({ version }: Held<unknown>): boolean => version === ABSENT.version;

/** Reads "there is none" as a value: `.catch(absentIfNotFound)`. Every other error passes through. */
export function absentIfNotFound(error: unknown): Reading<undefined> {
  if (isNotFound(error)) return ABSENT;
  throw error;
}

/** Gives the version of an answer. The `Link` header counts: records are read from it as well. */
export function versionOf({ headers: { link }, text }: WholeAnswer): Version {
  return hash('sha256', link === undefined ? text : `${link}\n${text}`, 'base64url') as Version;
}

/** A parsed text and the records made of it take about so much memory for each of its characters. */
const BYTES_PER_CHARACTER = 4;
const BYTES_AT_LEAST = 500;

/** Gives about how many bytes of memory the record of an answer takes. */
export const sizeOf = ({ text }: WholeAnswer): number => BYTES_AT_LEAST + BYTES_PER_CHARACTER * text.length;

/** HTTP's dates have seconds, so that two changes may share one, and only the first of them be in the answer. */
const SETTLED_MS = 2_000;

/**
 * Gives what to send as `If-Modified-Since` when this is asked again: its `Last-Modified`, unless that was younger than
 * two seconds by the answer's own clock, or where it has none, two seconds before its `Date`.
 */
export function validatorOf(
  { 'last-modified': modified, date }: AnswerHeaders,
  { unchanged }: Dialect,
): string | undefined {
  // By whose clock it is old is said by no other header, and the gateway's may differ.
  const settledAtMs = Date.parse(date ?? '') - SETTLED_MS;
  if (!unchanged.isAsked || Number.isNaN(settledAtMs)) return undefined;
  if (modified !== undefined) return Date.parse(modified) <= settledAtMs ? modified : undefined;
  return unchanged.isDateTaken ? new Date(settledAtMs).toUTCString() : undefined;
}
