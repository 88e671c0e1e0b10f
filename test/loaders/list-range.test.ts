import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { type ListRange, pagesCovering, readRange } from '../../src/loaders/list-range.ts';
import { ListPaging } from '../../src/upstream/list-paging.ts';
import type { PageRecord } from '../../src/upstream/records.ts';
import type { ListQuery } from '../../src/upstream/search.ts';
import { dialectOf } from '../upstream/support/open.ts';

/** How an upstream pages a list, and how it describes the following pages. */
interface Listing {
  readonly size: number;
  readonly tells: 'totals' | 'links' | 'nothing';
  /** `false`: every page is the whole list. */
  readonly isPaged?: boolean;
  /** The maximum length of a page. */
  readonly longestPage?: number;
  /** Whether a page begins where it would if those before it had as many rows as were asked for. */
  readonly isSpaced?: boolean;
}

type PageRequest = Pick<ListQuery, 'pageNumber' | 'perPage'>;

/** Creates a list of the numbers from 0 that records its calls. */
function createListing({ size, tells, ...listing }: Listing) {
  const { isPaged = true, longestPage = Number.POSITIVE_INFINITY, isSpaced = false } = listing;
  const rows = Array.from({ length: size }, (_, row) => row);
  const requested: PageRequest[] = [];
  const readPage = async ({
    pageNumber = 1,
    ...rest
  }: PageRequest): Promise<PageRecord<number>> => {
    const page = { ...rest, pageNumber };
    requested.push(page);
    const perPage = Math.min(page.perPage, longestPage);
    const start = isPaged ? (page.pageNumber - 1) * (isSpaced ? page.perPage : perPage) : 0;
    const items = isPaged ? rows.slice(start, start + perPage) : rows;
    return {
      items,
      ...(tells === 'totals' && { total: size }),
      ...(tells === 'links' && { hasNext: start + items.length < size }),
    };
  };
  return { rows, requested, readPage };
}

const ranges = fc.record({ offset: fc.nat(400), count: fc.integer({ min: 1, max: 120 }) });
const maxPageSizes = fc.integer({ min: 1, max: 150 });
const sizes = fc.nat(450);

/** The whole list, in the platform's order. */
const ALL = { where: [], orderBy: [] };

/** The parts for reading a range of any listing. The dialect names the total. */
const createSource = (maxPageSize: number) => ({
  operation: 'getForms',
  paging: new ListPaging(
    'a',
    dialectOf({ list: { total: ['total'], ...(maxPageSize === 100 ? {} : { maxPageSize }) } }),
    () => undefined,
  ),
});

/** Reads a range of a listing, together with the expected rows. */
async function read(
  listing: Listing,
  range: ListRange,
  maxPageSize = 100,
  source = createSource(maxPageSize),
) {
  const { rows, requested, readPage } = createListing(listing);
  const slice = await readRange({ ...ALL, ...range }, { ...source, readList: readPage });
  const end = range.offset + range.count;
  return { slice, requested, expected: rows.slice(range.offset, end), hasNext: end < listing.size };
}

describe('a slice of a list', () => {
  it.each(['totals', 'links', 'nothing'] as const)(
    'is exactly its range where lists have %s; of the last, a full page may have a next one',
    async (tells) => {
      await fc.assert(
        fc.asyncProperty(sizes, ranges, maxPageSizes, async (size, range, maxPageSize) => {
          const { slice, requested, expected, hasNext } = await read(
            { size, tells },
            range,
            maxPageSize,
          );

          const total = tells === 'totals' ? size : undefined;
          const end = Math.max(
            ...requested.map(({ pageNumber = 1, perPage }) => pageNumber * perPage),
          );
          const isFull = tells === 'nothing' && end === size;
          expect(Math.max(...requested.map(({ perPage }) => perPage))).toBeLessThanOrEqual(
            maxPageSize,
          );
          expect(slice).toMatchObject({ rows: expected, total, hasNext: hasNext || isFull });
        }),
      );
    },
  );

  it('is exactly its range where the list is not paged and longer than a page', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, ranges, maxPageSizes, async (size, range, maxPageSize) => {
        fc.pre(size > pagesCovering(range, maxPageSize).perPage);
        const { slice, expected, hasNext } = await read(
          { size, tells: 'nothing', isPaged: false },
          range,
          maxPageSize,
        );

        expect(slice).toMatchObject({ rows: expected, total: size, hasNext });
      }),
    );
  });

  it.each([
    { offset: 50, count: 60 },
    { offset: 20, count: 10 },
    { offset: 50, count: 10 },
    { offset: 200, count: 60 },
  ])(
    'is exactly its range of $count from $offset where the list is not paged and short',
    async (range) => {
      const { slice, expected, hasNext } = await read(
        { size: 55, tells: 'nothing', isPaged: false },
        range,
      );

      expect(slice).toMatchObject({ rows: expected, hasNext });
    },
  );

  it.each(['totals', 'links', 'nothing'] as const)(
    'is exactly its range where the platform cuts its pages and lists have %s, whatever was read before',
    async (tells) => {
      const reads = fc.integer({ min: 1, max: 60 }).chain((longestPage) => {
        const near = fc.constantFrom(
          longestPage - 1,
          longestPage,
          longestPage + 1,
          2 * longestPage,
          3 * longestPage,
        );
        const count = fc.oneof(
          fc.integer({ min: 1, max: 120 }),
          near.filter((length) => length > 0),
        );
        const range = fc.record({ offset: fc.oneof(fc.nat(400), near), count });
        const onePage = fc
          .tuple(fc.nat(5), count)
          .map(([page, length]) => ({ offset: page * length, count: length }));
        const one = fc.record({ size: fc.oneof(sizes, near), range: fc.oneof(range, onePage) });
        return fc.record({
          longestPage: fc.constant(longestPage),
          isSpaced: fc.boolean(),
          reads: fc.array(one),
        });
      });
      await fc.assert(
        fc.asyncProperty(reads, async ({ longestPage, isSpaced, reads: each }) => {
          const source = createSource(100);
          for (const { size, range } of each) {
            const { slice, expected, hasNext } = await read(
              { size, tells, longestPage, isSpaced },
              range,
              100,
              source,
            );

            expect(slice.rows).toEqual(expected);
            if (hasNext) expect(slice.hasNext).toBe(true);
            expect(source.paging.granted).toBeLessThanOrEqual(longestPage);
            expect([100, longestPage]).toContain(source.paging.max);
          }
        }),
        { numRuns: 300 },
      );
    },
  );

  it('costs no more calls than it must where the platform cuts its pages', async () => {
    const source = createSource(100);
    const calls = async (size: number, range: ListRange) => {
      const { requested } = await read(
        { size, tells: 'nothing', longestPage: 50 },
        range,
        100,
        source,
      );
      return requested.map(({ pageNumber, perPage }) => `${pageNumber}/${perPage}`);
    };

    // No page was longer than 30 before.
    expect(await calls(30, { offset: 0, count: 60 })).toEqual(['1/60', '2/30']);
    expect(await calls(29, { offset: 0, count: 60 })).toEqual(['1/60']);
    expect(await calls(190, { offset: 180, count: 60 })).toEqual(['4/60', '1/60', '4/50']);
    expect(await calls(190, { offset: 180, count: 60 })).toEqual(['4/50']);
    expect(await calls(49, { offset: 0, count: 100 })).toEqual(['1/50']);
    expect(await calls(190, { offset: 0, count: 100 })).toEqual(['1/50', '2/50']);
  });

  it('is malformed if pages of the platform’s own length are short as well, and names the setting', async () => {
    const { readPage } = createListing({ size: 50, tells: 'totals' });
    const source = createSource(100);
    const shorter = async (page: PageRequest) => {
      const { items, ...rest } = await readPage(page);
      return { ...rest, items: items.slice(1) };
    };

    await expect(
      readRange({ ...ALL, offset: 0, count: 20 }, { ...source, readList: shorter }),
    ).rejects.toMatchObject({
      failure: 'malformed',
      operation: 'getForms',
      advice: expect.stringMatching(/18 of the 19 rows .*list\.maxPageSize/),
    });
  });

  it.each(['totals', 'links'] as const)(
    'is malformed where a page is longer than requested, but %s announce more',
    async (tells) => {
      const { readPage } = createListing({ size: 500, tells });
      const source = {
        ...createSource(100),
        readList: () => readPage({ pageNumber: 2, perPage: 50 }),
      };

      await expect(readRange({ ...ALL, offset: 10, count: 10 }, source)).rejects.toMatchObject({
        failure: 'malformed',
      });
    },
  );
});

describe('the pages covering a range', () => {
  it('are as few as can be: one wherever a page size fits the range, and never more than with its own', () => {
    fc.assert(
      fc.property(ranges, maxPageSizes, ({ offset, count }, maxPageSize) => {
        const pagesOf = (size: number) =>
          Math.floor((offset + count - 1) / size) - Math.floor(offset / size) + 1;
        const isInOnePage = Array.from({ length: maxPageSize }, (_, index) =>
          pagesOf(index + 1),
        ).includes(1);

        const { length } = pagesCovering({ offset, count }, maxPageSize).numbers;

        expect(length === 1).toBe(isInOnePage);
        expect(length).toBeLessThanOrEqual(pagesOf(Math.min(count, maxPageSize)));
      }),
    );
  });
});
