import { expect, it } from 'vitest';

import { isDate } from '../../src/core/date-time.ts';

it.each([
  ['2024-02-29', true],
  ['2023-02-29', false],
  ['2000-02-29', true],
  ['1900-02-29', false],
  ['2024-02-30', false],
  ['2026-04-30', true],
  ['2026-04-31', false],
  ['2026-12-31', true],
  ['2026-13-01', false],
])('%s is a calendar day: %s', (text, isDay) => {
  expect(isDate(text)).toBe(isDay);
});
