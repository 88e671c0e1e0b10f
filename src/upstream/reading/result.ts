import type { Dialect } from '../dialect.ts';
import { isNotFound } from '../errors.ts';
import type { AnswerHeaders, WholeAnswer } from '../reception.ts';
import type { ReadResult } from '../records.ts';

/** Reads "there is none" as a value: `.catch(absentIfNotFound)`. Every other error passes through. */
export function absentIfNotFound(error: unknown): ReadResult<undefined> {
  if (isNotFound(error)) return { notModified: false, record: undefined, validator: undefined, bytes: 100 };
  throw error;
}

/** A parsed record takes about so much memory for each character of its text. */
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
