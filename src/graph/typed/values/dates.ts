/** Whether a text is a day of the calendar, as `2026-01-31`. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const atMs = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(text);
}

const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?$/i;

/** Reads a date and time; one without an offset has `assumedOffset`. `undefined` for what is none. */
export function readDateTime(text: string, assumedOffset: string): Date | undefined {
  const [, date, time, offset = assumedOffset] = DATE_TIME.exec(text) ?? [];
  if (date === undefined || !isDate(date)) return undefined;
  const value = new Date(`${date}T${time}${offset.toUpperCase().replace(/([+-]\d{2})(\d{2})$/, '$1:$2')}`);
  return Number.isNaN(value.getTime()) ? undefined : value;
}
