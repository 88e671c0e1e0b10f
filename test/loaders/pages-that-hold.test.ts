import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { pagesThatHold } from '../../src/loaders/window.ts';

const stretches = fc.record({ offset: fc.nat(400), count: fc.integer({ min: 1, max: 120 }) });
const maxPageSizes = fc.integer({ min: 1, max: 150 });

describe('the pages that hold a stretch', () => {
  it('cover it, in order and without a gap, and are no longer than the largest', () => {
    fc.assert(
      fc.property(stretches, maxPageSizes, (stretch, maxPageSize) => {
        const { perPage, numbers } = pagesThatHold(stretch, maxPageSize);

        expect(perPage).toBeLessThanOrEqual(maxPageSize);
        expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
        expect(((numbers[0] ?? 0) - 1) * perPage).toBeLessThanOrEqual(stretch.offset);
        expect((numbers.at(-1) ?? 0) * perPage).toBeGreaterThanOrEqual(stretch.offset + stretch.count);
      }),
    );
  });

  it('are one wherever a page size puts the stretch into one page', () => {
    fc.assert(
      fc.property(stretches, maxPageSizes, ({ offset, count }, maxPageSize) => {
        const isInOnePage = Array.from({ length: maxPageSize }, (_, index) => index + 1).some(
          (size) => Math.floor(offset / size) === Math.floor((offset + count - 1) / size),
        );

        expect(pagesThatHold({ offset, count }, maxPageSize).numbers.length === 1).toBe(isInOnePage);
      }),
    );
  });

  it('are never more than those of the stretch’s own size, or of the largest', () => {
    fc.assert(
      fc.property(stretches, maxPageSizes, ({ offset, count }, maxPageSize) => {
        const size = Math.min(count, maxPageSize);
        const naive = Math.floor((offset + count - 1) / size) - Math.floor(offset / size) + 1;

        expect(pagesThatHold({ offset, count }, maxPageSize).numbers.length).toBeLessThanOrEqual(naive);
      }),
    );
  });

  it.each([
    { offset: 0, count: 20, perPage: 20, numbers: [1] },
    { offset: 40, count: 20, perPage: 20, numbers: [3] },
    { offset: 5, count: 10, perPage: 15, numbers: [1] },
    { offset: 50, count: 60, perPage: 60, numbers: [1, 2] },
    { offset: 100, count: 250, perPage: 100, numbers: [2, 3, 4] },
  ])('of $count rows from $offset are $numbers of $perPage', ({ offset, count, perPage, numbers }) => {
    expect(pagesThatHold({ offset, count }, 100)).toEqual({ perPage, numbers });
  });
});
