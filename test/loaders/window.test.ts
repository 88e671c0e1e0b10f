import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { pagesThatHold, readWindow, type Stretch } from '../../src/loaders/window.ts';
import { createListing, type Listing } from './support/listing.ts';

const stretches = fc.record({ offset: fc.nat(400), count: fc.integer({ min: 1, max: 120 }) });
const maxPageSizes = fc.integer({ min: 1, max: 150 });
const sizes = fc.nat(450);

/** Reads a stretch of a listing, beside what it must be. */
async function read(listing: Listing, stretch: Stretch, maxPageSize = 100) {
  const { rows, asked, readPage } = createListing(listing);
  const window = await readWindow(stretch, { operation: 'getForms', maxPageSize, readPage });
  const end = stretch.offset + stretch.count;
  return { window, asked, expected: rows.slice(stretch.offset, end), hasNext: end < listing.size };
}

describe('a window', () => {
  it.each(['totals', 'links'] as const)('is exactly its stretch of a list that tells %s', async (tells) => {
    await fc.assert(
      fc.asyncProperty(sizes, stretches, maxPageSizes, async (size, stretch, maxPageSize) => {
        const { window, expected, hasNext } = await read({ size, tells }, stretch, maxPageSize);

        const total = tells === 'totals' ? size : undefined;
        expect(window).toEqual({ rows: expected, total, hasNext });
      }),
    );
  });

  it('is exactly its stretch of a list that tells nothing, and has a next where its last page came full', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, stretches, maxPageSizes, async (size, stretch, maxPageSize) => {
        const { window, asked, expected, hasNext } = await read({ size, tells: 'nothing' }, stretch, maxPageSize);

        const end = Math.max(...asked.map(({ pageNumber, perPage }) => pageNumber * perPage));
        expect(window).toEqual({ rows: expected, total: undefined, hasNext: hasNext || end === size });
      }),
    );
  });

  it('is exactly its stretch of a list that is not paged and longer than a page', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, stretches, maxPageSizes, async (size, stretch, maxPageSize) => {
        fc.pre(size > pagesThatHold(stretch, maxPageSize).perPage);
        const { window, expected, hasNext } = await read(
          { size, tells: 'nothing', isPaged: false },
          stretch,
          maxPageSize,
        );

        expect(window).toEqual({ rows: expected, total: size, hasNext });
      }),
    );
  });

  it('is exactly its stretch of a short list that is not paged, although both of its pages hold all of it', async () => {
    const { window, asked, expected } = await read(
      { size: 55, tells: 'nothing', isPaged: false },
      { offset: 50, count: 60 },
    );

    expect(asked).toHaveLength(2);
    expect(window).toEqual({ rows: expected, total: 55, hasNext: false });
  });

  it('beyond the end is empty', async () => {
    const { window } = await read({ size: 7, tells: 'totals' }, { offset: 100, count: 10 });

    expect(window).toEqual({ rows: [], total: 7, hasNext: false });
  });

  it.each(['totals', 'links'] as const)(
    'is malformed where a page comes short although %s tell of more',
    async (tells) => {
      const reading = read({ size: 50, tells, longestPage: 10 }, { offset: 0, count: 20 });

      await expect(reading).rejects.toMatchObject({ failure: 'malformed', operation: 'getForms' });
    },
  );

  it('is malformed where a page comes short although the next one holds rows', async () => {
    const reading = read({ size: 500, tells: 'nothing', longestPage: 20 }, { offset: 50, count: 60 });

    await expect(reading).rejects.toMatchObject({ failure: 'malformed' });
  });

  it.each(['totals', 'links'] as const)(
    'is malformed where a page comes longer than asked, but %s tell of more',
    async (tells) => {
      const { readPage } = createListing({ size: 500, tells });
      const source = {
        operation: 'getForms',
        maxPageSize: 100,
        readPage: () => readPage({ pageNumber: 2, perPage: 50 }),
      };

      await expect(readWindow({ offset: 10, count: 10 }, source)).rejects.toMatchObject({ failure: 'malformed' });
    },
  );

  it('fails as its page does', async () => {
    const readPage = async () => Promise.reject(new Error('down'));

    const reading = readWindow({ offset: 0, count: 5 }, { operation: 'getForms', maxPageSize: 10, readPage });

    await expect(reading).rejects.toThrow('down');
  });
});
