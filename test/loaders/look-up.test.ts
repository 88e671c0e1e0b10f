import { describe, expect, it, vi } from 'vitest';
import { UpstreamError } from '../../src/core/errors.ts';
import { lookUp, type RecordSource } from '../../src/loaders/index.ts';
import type { ListQuery } from '../../src/upstream/search.ts';
import { ListPaging } from '../../src/upstream/search.ts';
import { dialectOf } from '../upstream/support/open.ts';

interface Row {
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
  const readList = vi.fn(async ({ where, pageNumber, perPage }: ListQuery) => {
    const matches = rows.filter(({ id }) => where[0]?.values.includes(id));
    const size = Math.min(perPage, longestPage);
    return { items: matches.slice((pageNumber - 1) * size, pageNumber * size), total: matches.length };
  });
  const { dialect = dialectOf() } = options;
  const source: RecordSource<Row> = {
    operation: 'getForms',
    dialect,
    paging: new ListPaging('a', dialect, () => undefined),
    field: 'idForm',
    isId: (id) => id !== '',
    readOne,
    readList,
    idOf: ({ id }) => id,
    isWhole: ({ isSummary }) => isSummary !== true,
    ...others,
  };
  return { source, readOne, readList };
}

const idsOf = (results: readonly (Row | undefined | Error)[]) =>
  results.map((result) => (result instanceof Error ? 'failed' : result?.id));

describe('look-up', () => {
  it('makes one list call for many ids, and gives each its record', async () => {
    const { source, readOne, readList } = createSource();

    const found = await lookUp(['c', 'a', 'b'], source);

    expect(idsOf(found)).toEqual(['c', 'a', 'b']);
    const where = [{ field: 'idForm', operator: 'IN', values: ['c', 'a', 'b'] }];
    expect(readList.mock.calls).toEqual([[{ where, orderBy: [], pageNumber: 1, perPage: 3 }]]);
    expect(readOne).not.toHaveBeenCalled();
  });

  it('reads a single id on its own', async () => {
    const { source, readOne, readList } = createSource();

    expect(idsOf(await lookUp(['a'], source))).toEqual(['a']);
    expect([readOne.mock.calls.length, readList.mock.calls.length]).toEqual([1, 0]);
  });

  it('gives undefined for missing ids, without another call', async () => {
    const { source, readOne } = createSource();

    expect(idsOf(await lookUp(['a', 'x', 'b', 'y'], source))).toEqual(['a', undefined, 'b', undefined]);
    expect(readOne).not.toHaveBeenCalled();
  });

  it('falls back to one call per id where the dialect has no IN', async () => {
    const { source, readOne, readList } = createSource({ dialect: dialectOf({ search: { operators: { IN: null } } }) });

    expect(idsOf(await lookUp(['a', 'x', 'b'], source))).toEqual(['a', undefined, 'b']);
    expect([readOne.mock.calls.length, readList.mock.calls.length]).toEqual([3, 0]);
  });

  it('reads ids that a search cannot express one by one', async () => {
    const { source, readOne, readList } = createSource();

    expect(idsOf(await lookUp(['a', 'f|g', 'b', 'h,i'], source))).toEqual(['a', 'f|g', 'b', 'h,i']);
    expect(readOne.mock.calls).toEqual([['f|g'], ['h,i']]);
    expect(readList).toHaveBeenCalledTimes(1);
  });

  it('leaves an invalid id to the single read, which rejects it alone', async () => {
    const readOne = async (id: string) => Promise.reject(new Error(`no id: ${id}`));
    const { source } = createSource({ readOne });

    expect(idsOf(await lookUp(['a', '', 'b'], source))).toEqual(['a', 'failed', 'b']);
  });

  it('makes as many list calls as there are pages, and reads a last single id on its own', async () => {
    const { source, readOne, readList } = createSource({ dialect: dialectOf({ list: { maxPageSize: 2 } }) });

    expect(idsOf(await lookUp(['a', 'b', 'c', 'd', 'e'], source))).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect([readList.mock.calls.length, readOne.mock.calls]).toEqual([2, [['e']]]);
  });

  it('continues where the platform’s pages are smaller than the dialect says', async () => {
    const { source, readOne, readList } = createSource({ longestPage: 2 });

    expect(idsOf(await lookUp(['a', 'b', 'c', 'd', 'e'], source))).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(readList.mock.calls.map(([{ pageNumber }]) => pageNumber)).toEqual([1, 2, 3]);
    expect(readOne).not.toHaveBeenCalled();
  });

  it('limits the failure of a list to its own ids', async () => {
    const { source, readList } = createSource({ dialect: dialectOf({ list: { maxPageSize: 2 } }) });
    readList.mockRejectedValueOnce(new UpstreamError('failed', { operation: 'getForms', status: 500 }));

    expect(idsOf(await lookUp(['a', 'b', 'c', 'd', 'e'], source))).toEqual(['failed', 'failed', 'c', 'd', 'e']);
  });

  it('reads incomplete records of the list one by one', async () => {
    const rows = [{ id: 'a', isSummary: true }, { id: 'b' }];
    const { source, readOne } = createSource({ rows });

    expect(await lookUp(['a', 'b', 'x'], source)).toEqual([{ id: 'a' }, { id: 'b' }, undefined]);
    expect(readOne.mock.calls).toEqual([['a']]);
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
