import { describe, expect, it, vi } from 'vitest';
import { UpstreamError } from '../../src/core/errors.ts';
import { lookUp, type RecordSource } from '../../src/loaders/look-up.ts';
import { ListPaging } from '../../src/upstream/list-paging.ts';
import type { SomeIds } from '../../src/upstream/records.ts';
import type { ListQuery } from '../../src/upstream/search.ts';
import { dialectOf } from '../upstream/support/open.ts';

interface Row extends SomeIds {
  readonly id: string;
  readonly isSummary?: boolean;
}

const ROWS: readonly Row[] = ['a', 'b', 'c', 'd', 'e', 'f|g', 'h,i'].map((id) => ({ id }));

/** A platform that holds `rows`; its lists understand `in`. */
function createSource(
  options: Partial<RecordSource<Row>> & { readonly rows?: readonly Row[]; readonly longestPage?: number } = {},
) {
  const { rows = ROWS, longestPage = 100, ...others } = options;
  const readOne = vi.fn(async (requestedId: string) =>
    rows.map(({ id }) => ({ id })).find(({ id }) => id === requestedId),
  );
  const readList = vi.fn(async ({ where, pageNumber = 1, perPage }: ListQuery) => {
    const matches = rows.filter(({ id }) => where[0]?.values.includes(id));
    const size = Math.min(perPage, longestPage);
    return { items: matches.slice((pageNumber - 1) * size, pageNumber * size), total: matches.length };
  });
  const { dialect = dialectOf() } = options;
  const source: RecordSource<Row> = {
    operation: 'getForms',
    dialect,
    paging: new ListPaging('a', dialect, () => undefined),
    entity: { field: () => 'idForm', isId: (id) => id !== '', isWhole: ({ isSummary }) => isSummary !== true },
    readOne,
    readList,
    path: () => '/forms',
    idOf: (row) => (row instanceof Error ? '' : row.id),
    ...others,
  };
  return { source, readOne, readList };
}

const idsOf = (results: readonly (Row | undefined | Error)[]) =>
  results.map((result) => (result instanceof Error ? 'failed' : result?.id));

const WITHOUT_IN = dialectOf({ search: { operators: { IN: null } } });
const PAGES_OF_TWO = dialectOf({ list: { maxPageSize: 2 } });
const FIVE = ['a', 'b', 'c', 'd', 'e'];
const SUMMARY = [{ id: 'a', isSummary: true }, { id: 'b' }];

interface Case {
  readonly does: string;
  readonly options?: Parameters<typeof createSource>[0];
  readonly ids: readonly string[];
  /** `ids` where absent. */
  readonly found?: readonly (string | undefined)[];
  /** The ids that are read on their own. */
  readonly alone: readonly string[];
  readonly lists: number;
}

describe('look-up', () => {
  it.each<Case>([
    { does: 'makes one list call for many ids, and gives each its record', ids: ['c', 'a', 'b'], alone: [], lists: 1 },
    { does: 'reads a single id on its own', ids: ['a'], alone: ['a'], lists: 0 },
    {
      does: 'gives undefined for missing ids, without another call',
      ids: ['a', 'x', 'b', 'y'],
      found: ['a', undefined, 'b', undefined],
      alone: [],
      lists: 1,
    },
    {
      does: 'falls back to one call per id where the dialect has no IN',
      options: { dialect: WITHOUT_IN },
      ids: ['a', 'x', 'b'],
      found: ['a', undefined, 'b'],
      alone: ['a', 'x', 'b'],
      lists: 0,
    },
    {
      does: 'reads ids that a search cannot express one by one',
      ids: ['a', 'f|g', 'b', 'h,i'],
      alone: ['f|g', 'h,i'],
      lists: 1,
    },
    {
      does: 'makes as many list calls as there are pages, and reads a last single id on its own',
      options: { dialect: PAGES_OF_TWO },
      ids: FIVE,
      alone: ['e'],
      lists: 2,
    },
    {
      does: 'continues where the platform’s pages are smaller than the dialect says',
      options: { longestPage: 2 },
      ids: FIVE,
      alone: [],
      lists: 3,
    },
    {
      does: 'reads incomplete records of the list one by one',
      options: { rows: SUMMARY },
      ids: ['a', 'b'],
      alone: ['a'],
      lists: 1,
    },
  ])('$does', async ({ options, ids, found = ids, alone, lists }) => {
    const { source, readOne, readList } = createSource(options);

    expect(idsOf(await lookUp(ids, source))).toEqual(found);
    expect(readOne.mock.calls).toEqual(alone.map((id) => [id]));
    expect(readList).toHaveBeenCalledTimes(lists);
  });

  it('leaves an invalid id to the single read, which rejects it alone', async () => {
    const readOne = async (id: string) => Promise.reject(new Error(`no id: ${id}`));
    const { source } = createSource({ readOne });

    expect(idsOf(await lookUp(['a', '', 'b'], source))).toEqual(['a', 'failed', 'b']);
  });

  it('limits the failure of a list to its own ids', async () => {
    const { source, readList } = createSource({ dialect: PAGES_OF_TWO });
    readList.mockRejectedValueOnce(new UpstreamError('failed', { operation: 'getForms', status: 500 }));

    expect(idsOf(await lookUp(FIVE, source))).toEqual(['failed', 'failed', 'c', 'd', 'e']);
  });

  it.each([
    ['ignores the search and sends all', { items: ROWS, total: ROWS.length }],
    ['ignores the search and sends as many as were asked, of others', { items: ROWS.slice(2, 4) }],
    ['ignores the search and has fewer than were asked', { items: [{ id: 'z' }], total: 1 }],
  ])('is malformed where the platform %s: it does not understand `in`', async (_what, page) => {
    const { source } = createSource({ readList: async () => page });

    const found = await lookUp(['a', 'b'], source);

    const malformed = expect.objectContaining({ failure: 'malformed', operation: 'getForms' });
    expect(found).toEqual([malformed, malformed]);
  });
});
