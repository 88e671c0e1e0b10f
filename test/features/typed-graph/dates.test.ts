import { assert, integer, property, record } from 'fast-check';
import { expect, it } from 'vitest';

import { isDate } from '../../../src/core/date-time.ts';

const two = (n: number): string => String(n).padStart(2, '0');

it('a Date is a day that exists in the calendar, and nothing else', () => {
  const parts = record({
    year: integer({ min: 0, max: 9_999 }),
    month: integer({ min: 0, max: 13 }),
    day: integer({ min: 0, max: 32 }),
  });
  assert(
    property(parts, ({ year, month, day }) => {
      const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
      const atMs = Date.parse(`${text}T00:00:00Z`);

      expect(isDate(text)).toBe(!Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(text));
    }),
    { numRuns: 2_000, examples: [[{ year: 1900, month: 2, day: 29 }], [{ year: 2000, month: 2, day: 29 }]] },
  );
  for (const text of ['', '2026-1-31', '2026-01-31T00:00', ' 2026-01-31']) expect(isDate(text)).toBe(false);
});
