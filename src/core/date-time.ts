/** Whether a text is a day of the calendar, as `2026-01-31`. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(text)) return false;
  const day = Number(text.slice(8));
  // Every month has these; lists hold very many days, and a calendar takes long to ask.
  return day <= 28 || day <= daysIn(Number(text.slice(0, 4)), Number(text.slice(5, 7)));
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
}

const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?$/i;

/** Reads a date and time; one without an offset has `assumedOffset`. `undefined` for what is none. */
export function readDateTime(text: string, assumedOffset: string): Date | undefined {
  const [, date, time, offset = assumedOffset] = DATE_TIME.exec(text) ?? [];
  if (date === undefined || !isDate(date)) return undefined;
  const value = new Date(`${date}T${time}${offset.toUpperCase().replace(/([+-]\d{2})(\d{2})$/, '$1:$2')}`);
  return Number.isNaN(value.getTime()) ? undefined : value;
}
