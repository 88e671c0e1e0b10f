/** Returns whether a text is a calendar day such as `2026-01-31`. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(text)) return false;
  const day = Number(text.slice(8));
  // Every month has 28 days. The short test saves time in lists with many days.
  return day <= 28 || day <= daysIn(Number(text.slice(0, 4)), Number(text.slice(5, 7)));
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
}

/** A zone in brackets (RFC 9557) repeats the offset before it. */
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?:(Z|[+-]\d{2}(?::?\d{2})?)(?:\[[^[\]]+\])*)?$/i;

/**
 * Reads a date and time. `assumedOffset` applies if the text has no offset. Returns `undefined` for
 * any other text.
 */
export function readDateTime(text: string, assumedOffset: string): Date | undefined {
  const [, date, time, offset = assumedOffset] = DATE_TIME.exec(text) ?? [];
  if (date === undefined || !isDate(date)) return undefined;
  const value = new Date(`${date}T${time}${formatOffset(offset)}`);
  return Number.isNaN(value.getTime()) ? undefined : value;
}

/** Writes `z`, `+02` and `+0200` in the form that JavaScript parses. */
function formatOffset(offset: string): string {
  if (offset.length === 1) return 'Z';
  const minutes = offset.slice(3).replace(':', '');
  return `${offset.slice(0, 3)}:${minutes || '00'}`;
}

/**
 * Reads a day, with or without a time. An offset does not change the day. Returns `undefined` for
 * any other text.
 */
export function readDay(text: string): string | undefined {
  const day = text.slice(0, 10);
  if (!isDate(day)) return undefined;
  return text.length === day.length || readDateTime(text, 'Z') ? day : undefined;
}

/** Returns the day after a day of the calendar; `undefined` after the last one that has four digits. */
export function dayAfter(day: string): string | undefined {
  const next = new Date(`${day}T00:00:00Z`);
  next.setUTCDate(next.getUTCDate() + 1);
  const text = next.toISOString();
  return text.startsWith('+') ? undefined : text.slice(0, 10);
}

/** The decimal places of a Unix time that fit in a `Date`. */
const DECIMAL_PLACES = { 'epoch-ms': 0, 'epoch-s': 3 } as const;

/**
 * Reads the digits of a Unix time. Returns `undefined` for any other text, and for times outside
 * the years 0 to 9999.
 */
export function readEpoch(digits: string, unit: keyof typeof DECIMAL_PLACES): Date | undefined {
  const [, whole, fraction = ''] = /^(-?\d+)(?:\.(\d+))?$/.exec(digits) ?? [];
  if (whole === undefined) return undefined;
  const places = DECIMAL_PLACES[unit];
  const epochMs = Number(whole + fraction.slice(0, places).padEnd(places, '0'));
  return epochMs >= FIRST_MS && epochMs <= LAST_MS ? new Date(epochMs) : undefined;
}

// Detects milliseconds that are read as seconds: they are outside this range.
const FIRST_MS = Date.parse('0000-01-01T00:00:00.000Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');
