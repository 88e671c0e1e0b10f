import type { Json } from '../json.ts';
import type { ValueType } from '../model.ts';

/** A value as it is kept. An empty field has none. */
export type Value = string | number | bigint | boolean;

/** What a type's values look like, in a body and in a `search`. */
export interface ValueReader {
  /** Ends the sentence "must be …". */
  readonly expects: string;
  /** The value to keep, or `undefined` when `raw` is not of this type. */
  read(raw: Json): Value | undefined;
  /** The JSON that a text in a `search` stands for, or `undefined` when it cannot be of this type. */
  fromText(text: string): Json | undefined;
}

const sameText = (text: string): Json => text;
const readText = (raw: Json): Value | undefined => (typeof raw === 'string' ? raw : undefined);
const integerFromText = (text: string): Json | undefined => (/^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined);

/** Every type's reader. Source: ours; the interface shows no field types. */
export const READERS = {
  text: { expects: 'a text', read: readText, fromText: sameText },
  choice: { expects: 'a text', read: readText, fromText: sameText },
  integer: { expects: 'an integer of 64 bits', read: readInteger, fromText: integerFromText },
  reference: { expects: 'an idInstance', read: readReference, fromText: integerFromText },
  decimal: {
    expects: 'a number of at most 15 digits',
    read: readDecimal,
    fromText: (text) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined),
  },
  boolean: {
    expects: 'true or false',
    read: (raw) => (typeof raw === 'boolean' ? raw : undefined),
    fromText: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  },
  date: { expects: 'a date like 2026-01-31', read: (raw) => (isDate(raw) ? raw : undefined), fromText: sameText },
  datetime: {
    expects: 'a date and time with its offset, like 2026-01-31T09:30:00Z',
    read: readDatetime,
    fromText: sameText,
  },
} as const satisfies Record<ValueType, ValueReader>;

function readInteger(raw: Json): Value | undefined {
  if (typeof raw === 'bigint') {
    if (BigInt.asIntN(64, raw) !== raw) return undefined;
    return Number.isSafeInteger(Number(raw)) ? Number(raw) : raw;
  }
  return Number.isSafeInteger(raw) ? (raw as number) : undefined;
}

function readReference(raw: Json): Value | undefined {
  const value = readInteger(raw);
  return typeof value === 'number' && value > 0 ? value : undefined;
}

function readDecimal(raw: Json): Value | undefined {
  if (typeof raw === 'bigint') return BigInt(Number(raw)) === raw ? Number(raw) : undefined;
  return typeof raw === 'number' && Number.isFinite(raw) ? raw : undefined;
}

function isDate(raw: Json): raw is string {
  if (typeof raw !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(raw)) return false;
  const atMs = Date.parse(`${raw}T00:00:00Z`);
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(raw);
}

/** Kept in UTC with milliseconds, so that comparing the texts compares the times. */
function readDatetime(raw: Json): Value | undefined {
  const shape = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;
  if (typeof raw !== 'string') return undefined;
  const date = shape.exec(raw)?.[1];
  if (date === undefined || !isDate(date) || Number.isNaN(Date.parse(raw))) return undefined;
  const utc = new Date(raw).toISOString();
  return utc.length === '2026-01-31T09:30:00.000Z'.length ? utc : undefined;
}
