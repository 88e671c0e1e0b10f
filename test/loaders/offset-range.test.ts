import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { type OffsetRange, pagesCovering, readRange } from '../../src/loaders/offset-range.ts';
import { createPageSizes } from '../../src/upstream/index.ts';
import { createListing, type Listing } from './support/listing.ts';

const ranges = fc.record({ offset: fc.nat(400), count: fc.integer({ min: 1, max: 120 }) });
const maxPageSizes = fc.integer({ min: 1, max: 150 });
const sizes = fc.nat(450);

/** What ranges are read with, whatever their listing. */
const createSource = (maxPageSize: number, now?: () => number) => ({
  operation: 'getForms',
  pageSizes: createPageSizes(maxPageSize, now),
});

/** Reads a range of a listing, beside what it must be. */
async function read(listing: Listing, range: OffsetRange, maxPageSize = 100) {
  const { rows, requested, readPage } = createListing(listing);
  const slice = await readRange(range, { ...createSource(maxPageSize), readPage });
  const end = range.offset + range.count;
  return { slice, requested, expected: rows.slice(range.offset, end), hasNext: end < listing.size };
}

describe('a slice of a list', () => {
  it.each(['totals', 'links'] as const)('is exactly its range where the list has %s', async (tells) => {
    await fc.assert(
      fc.asyncProperty(sizes, ranges, maxPageSizes, async (size, range, maxPageSize) => {
        const { slice, expected, hasNext } = await read({ size, tells }, range, maxPageSize);

        const total = tells === 'totals' ? size : undefined;
        expect(slice).toMatchObject({ rows: expected, total, hasNext });
      }),
    );
  });

  it('is exactly its range where the list has no total, and has a next page where its last one was full', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, ranges, maxPageSizes, async (size, range, maxPageSize) => {
        const { slice, requested, expected, hasNext } = await read({ size, tells: 'nothing' }, range, maxPageSize);

        const end = Math.max(...requested.map(({ pageNumber, perPage }) => pageNumber * perPage));
        expect(slice).toMatchObject({ rows: expected, total: undefined, hasNext: hasNext || end === size });
      }),
    );
  });

  it('is exactly its range where the list is not paged and longer than a page', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, ranges, maxPageSizes, async (size, range, maxPageSize) => {
        fc.pre(size > pagesCovering(range, maxPageSize).perPage);
        const { slice, expected, hasNext } = await read({ size, tells: 'nothing', isPaged: false }, range, maxPageSize);

        expect(slice).toMatchObject({ rows: expected, total: size, hasNext });
      }),
    );
  });

  it('beyond the end is empty', async () => {
    const { slice } = await read({ size: 7, tells: 'totals' }, { offset: 100, count: 10 });

    expect(slice).toMatchObject({ rows: [], total: 7, hasNext: false });
  });

  it.each(['totals', 'links'] as const)(
    'is exactly its range where the platform’s pages are shorter than requested and the list has %s',
    async (tells) => {
      const longest = fc.integer({ min: 1, max: 60 });
      await fc.assert(
        fc.asyncProperty(sizes, ranges, longest, fc.boolean(), async (size, asked, longestPage, isSpaced) => {
          // Links do not say at which position a later page starts: such a platform needs `list.maxPageSize`.
          const range = { ...asked, offset: tells === 'totals' ? asked.offset : 0 };
          const { slice, expected } = await read({ size, tells, longestPage, isSpaced }, range);

          expect(slice.rows).toEqual(expected);
          if (range.offset + range.count < size) expect(slice.hasNext).toBe(true);
        }),
      );
    },
  );

  it('is malformed where pages of the platform’s own length are short as well, and says what to set', async () => {
    const { readPage } = createListing({ size: 50, tells: 'totals' });
    const source = createSource(100);
    const shorter = async ({ pageNumber, perPage }: { pageNumber: number; perPage: number }) => {
      const { items, ...rest } = await readPage({ pageNumber, perPage });
      return { ...rest, items: items.slice(1) };
    };

    await expect(readRange({ offset: 0, count: 20 }, { ...source, readPage: shorter })).rejects.toMatchObject({
      failure: 'malformed',
      operation: 'getForms',
      advice: expect.stringMatching(/18 of the 19 rows .*list\.maxPageSize/),
    });
  });

  it.each(['totals', 'links'] as const)(
    'is malformed where a page is longer than requested, but %s announce more',
    async (tells) => {
      const { readPage } = createListing({ size: 500, tells });
      const source = { ...createSource(100), readPage: () => readPage({ pageNumber: 2, perPage: 50 }) };

      await expect(readRange({ offset: 10, count: 10 }, source)).rejects.toMatchObject({ failure: 'malformed' });
    },
  );

  it('fails when its page fails', async () => {
    const readPage = async () => Promise.reject(new Error('down'));

    const reading = readRange({ offset: 0, count: 5 }, { ...createSource(10), readPage });

    await expect(reading).rejects.toThrow('down');
  });
});

describe('the pages covering a range', () => {
  it('span it in order and without gaps, and are no larger than the maximum', () => {
    fc.assert(
      fc.property(ranges, maxPageSizes, (range, maxPageSize) => {
        const { perPage, numbers } = pagesCovering(range, maxPageSize);

        expect(perPage).toBeLessThanOrEqual(maxPageSize);
        expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
        expect(((numbers[0] ?? 0) - 1) * perPage).toBeLessThanOrEqual(range.offset);
        expect((numbers.at(-1) ?? 0) * perPage).toBeGreaterThanOrEqual(range.offset + range.count);
      }),
    );
  });

  it('are one page wherever a page size fits the range', () => {
    fc.assert(
      fc.property(ranges, maxPageSizes, ({ offset, count }, maxPageSize) => {
        const isInOnePage = Array.from({ length: maxPageSize }, (_, index) => index + 1).some(
          (size) => Math.floor(offset / size) === Math.floor((offset + count - 1) / size),
        );

        expect(pagesCovering({ offset, count }, maxPageSize).numbers.length === 1).toBe(isInOnePage);
      }),
    );
  });

  it('are never more than with the range’s own size, or with the maximum', () => {
    fc.assert(
      fc.property(ranges, maxPageSizes, ({ offset, count }, maxPageSize) => {
        const size = Math.min(count, maxPageSize);
        const naive = Math.floor((offset + count - 1) / size) - Math.floor(offset / size) + 1;

        expect(pagesCovering({ offset, count }, maxPageSize).numbers.length).toBeLessThanOrEqual(naive);
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
    expect(pagesCovering({ offset, count }, 100)).toEqual({ perPage, numbers });
  });
});
