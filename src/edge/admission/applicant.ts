import type { IncomingHttpHeaders } from 'node:http';

/** The headers by which callers say who they are, the first that is there counts. */
const NAMES = ['authorization', 'x-api-key', 'cookie'] as const;

const LINES = NAMES.map((name) => new RegExp(`\\r\\n${name}: *([^\\r]*)`, 'i'));

/**
 * Tells callers apart by what they say of themselves, before anybody has checked it: it decides whose turn it is, and
 * nothing else. Those who say nothing are one caller.
 */
export function callerOf(headers: IncomingHttpHeaders): string {
  for (const name of NAMES) {
    const value = headers[name];
    if (value !== undefined) return String(value);
  }
  return '';
}

/** The same of a head that is not parsed yet. */
export function callerIn(head: string): string {
  for (const line of LINES) {
    const value = line.exec(head)?.[1];
    if (value !== undefined) return value;
  }
  return '';
}
