import { describe, expect, it, vi } from 'vitest';
import { UpstreamError } from '../../src/core/errors.ts';
import { lookUp, type RecordSource } from '../../src/loaders/look-up.ts';
import { ListPaging } from '../../src/upstream/list-paging.ts';
import type { SomeIds } from '../../src/upstream/records.ts';
import { formatListQuery, type ListQuery } from '../../src/upstream/search.ts';
import { dialectOf } from '../upstream/support/open.ts';

interface Row extends SomeIds {
  readonly id: string;
  readonly isSummary?: boolean;
}

const ROWS: readonly Row[] = ['a', 'b', 'c', 'd', 'e', 'f|g', 'h,i'].map((id) => ({ id }));

/** A platform that holds `rows`; its lists understand `in`. */
function createSource(
  options: Partial<RecordSource<Row>> & {
    readonly rows?: readonly Row[];
    readonly longestPage?: number;
  } = {},
) {
  const { rows = ROWS, longestPage = 100, ...others } = options;
  const readOne = vi.fn(async (requestedId: string) =>
    rows.map(({ id }) => ({ id })).find(({ id }) => id === requestedId),
  );
  const readList = vi.fn(async ({ where, pageNumber = 1, perPage }: ListQuery) => {
    const [condition] = where;
    const matches = rows.filter(({ id }) => !condition || condition.values.includes(id));
    const size = Math.min(perPage, longestPage);
    return {
      items: matches.slice((pageNumber - 1) * size, pageNumber * size),
      total: matches.length,
    };
  });
  const { dialect = dialectOf() } = options;
  const source: RecordSource<Row> = {
    operation: 'getForms',
    dialect,
    paging: new ListPaging('a', dialect, () => undefined),
    entity: {
      find: { field: () => 'idForm', isId: (id) => id !== '' },
      isSummary: ({ isSummary }) => isSummary === true,
    },
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
    {
      does: 'makes one list call for many ids, and gives each its record',
      ids: ['c', 'a', 'b'],
      alone: [],
      lists: 1,
    },
    {
      does: 'gives undefined for missing ids between others, without another call',
      ids: ['a', 'x', 'y', 'b'],
      found: ['a', undefined, undefined, 'b'],
      alone: [],
      lists: 1,
    },
    {
      // The platform may have read only the first values.
      does: 'gives undefined for a missing last id after a search that ends with another one',
      ids: ['a', 'x', 'b', 'y'],
      found: ['a', undefined, 'b', undefined],
      alone: [],
      lists: 2,
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
    readList.mockRejectedValueOnce(
      new UpstreamError('failed', { operation: 'getForms', status: 500 }),
    );

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

const numbers = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, at) => `n${from + at}`);
const toRows = (ids: readonly string[]): Row[] => ids.map((id) => ({ id }));

/**
 * A source whose lists are refused for more ids than these; `lengths` has the number of each list
 * call's ids.
 */
function createRefusing(mostIds: number, rows: readonly Row[]) {
  const { source, readOne, readList } = createSource({ rows });
  const lengths: number[] = [];
  const refusing = async (query: ListQuery) => {
    const { length } = query.where[0]?.values ?? [];
    lengths.push(length);
    if (length > mostIds)
      throw new UpstreamError('not-found', { operation: 'getForms', status: 404 });
    return readList(query);
  };
  return { source: { ...source, readList: refusing }, readOne, lengths };
}

describe('a look-up by several ids that is refused', () => {
  const HUNDRED = numbers(100);

  it('is made by one id and by groups of 25, and by these from then on', async () => {
    const { source, readOne, lengths } = createRefusing(40, toRows(HUNDRED));

    expect(idsOf(await lookUp(HUNDRED, source))).toEqual(HUNDRED);
    expect(readOne.mock.calls).toEqual([['n0']]);
    expect(lengths.splice(0)).toEqual([100, 25, 25, 25, 24]);

    expect(idsOf(await lookUp(HUNDRED, source))).toEqual(HUNDRED);
    expect(lengths).toEqual([25, 25, 25, 25]);
  });

  it('has absent records only after a search or a read without a result', async () => {
    const { source } = createRefusing(40, toRows(numbers(60, 1)));

    const found = await lookUp(numbers(100), source);

    expect(idsOf(found)).toEqual([undefined, ...numbers(60, 1), ...Array(39).fill(undefined)]);
  });

  it('fails with what to set where fewer ids are refused as well, but for the one that was read', async () => {
    for (const count of [2, 25, 60]) {
      const { source, lengths } = createRefusing(1, toRows(HUNDRED));

      const found = await lookUp(numbers(count), source);

      const advice = expect.stringContaining('search.operators.IN');
      expect(found[0]).toEqual({ id: 'n0' });
      expect(found.slice(1)).toEqual(
        Array(count - 1).fill(expect.objectContaining({ failure: 'malformed', advice })),
      );
      expect(lengths).toEqual(count > 25 ? [count, 25] : [count]);
    }
  });
});

it('a look-up in a list that is absent fails as the list does, after two calls more at most', async () => {
  for (const count of [2, 25, 100]) {
    const { source, readOne, lengths } = createRefusing(0, []);

    const found = await lookUp(numbers(count), source);

    expect(found).toEqual(Array(count).fill(expect.objectContaining({ failure: 'not-found' })));
    expect(readOne).toHaveBeenCalledTimes(1);
    expect(lengths).toHaveLength(count > 25 ? 2 : 1);
  }
});

it.each([403, 429, 500])('a look-up that fails by %i is not made again', async (status) => {
  const failure = new UpstreamError('failed', { operation: 'getForms', status });
  const { source, readOne, readList } = createSource();
  readList.mockRejectedValue(failure);

  expect(await lookUp(FIVE, source)).toEqual(Array(5).fill(failure));
  expect(readList).toHaveBeenCalledTimes(1);
  expect(readOne).not.toHaveBeenCalled();
});

describe('a record that a look-up leaves out', () => {
  it('is read where the search has no rows, since the platform may not know it', async () => {
    const { source, readOne } = createSource({ readList: async () => ({ items: [], total: 0 }) });

    const found = await lookUp(FIVE, source);

    const failed = expect.objectContaining({
      failure: 'malformed',
      advice: expect.stringContaining('IN to null'),
    });
    expect(found).toEqual([{ id: 'a' }, failed, failed, failed, failed]);
    expect(readOne).toHaveBeenCalledTimes(1);
  });

  it('is absent after a search between records of the list, which is made once', async () => {
    const { source, readOne, readList } = createSource();

    expect(await lookUp(['x', 'y', 'z'], source)).toEqual([undefined, undefined, undefined]);
    expect(await lookUp(['u', 'v'], source)).toEqual([undefined, undefined]);
    const searched = readList.mock.calls.map(([{ where }]) => where[0]?.values);
    expect(searched).toEqual([['x', 'y', 'z'], undefined, ['a', 'x', 'y', 'z', 'b'], ['u', 'v']]);
    expect(readOne).not.toHaveBeenCalled();
  });

  it('costs no further call once the platform has read all of as many ids', async () => {
    const { source, readOne, readList } = createSource();
    const look = async (...ids: readonly string[]) => {
      readList.mockClear();
      await lookUp(ids, source);
      return readList.mock.calls.length;
    };

    expect(await look('a', 'b', 'x')).toBe(2);
    expect([await look('a', 'b', 'x'), await look('y', 'c')]).toEqual([1, 1]);
    expect([await look('a', 'b', 'c', 'd'), await look('a', 'w', 'y', 'z')]).toEqual([1, 1]);
    expect(readOne).not.toHaveBeenCalled();
  });

  it('is absent after one read where the list is empty as well', async () => {
    const { source, readOne } = createSource({ rows: [] });

    expect(await lookUp(['x', 'y', 'z'], source)).toEqual([undefined, undefined, undefined]);
    expect(readOne.mock.calls).toEqual([['x']]);
  });

  it('is searched for in two groups where the group has no space for other records', async () => {
    const dialect = dialectOf({ search: { maxIds: 5 } });
    const { source, readOne, readList } = createSource({ dialect });

    expect(await lookUp(['v', 'w', 'x', 'y', 'z'], source)).toEqual(Array(5).fill(undefined));
    const searched = readList.mock.calls.slice(2).map(([{ where }]) => where[0]?.values);
    expect(searched).toEqual([
      ['a', 'v', 'w', 'x', 'b'],
      ['a', 'y', 'z', 'b'],
    ]);
    expect(readOne).not.toHaveBeenCalled();
  });

  it('fails as the read does that should tell', async () => {
    const failure = new UpstreamError('failed', { operation: 'getForm', status: 500 });
    const { source } = createSource({ rows: [], readOne: () => Promise.reject(failure) });

    expect(await lookUp(['x', 'y'], source)).toEqual([failure, failure]);
  });

  it('is found by fewer ids where the search takes the first ones alone', async () => {
    const all = numbers(60);
    const lengths: number[] = [];
    const { source, readOne } = createSource({
      rows: toRows(all),
      readList: async ({ where }) => {
        const ids = where[0]?.values ?? [];
        lengths.push(ids.length);
        return { items: toRows(ids.slice(0, 10)), total: Math.min(ids.length, 10) };
      },
    });

    expect(idsOf(await lookUp(all, source))).toEqual(all);
    expect(readOne).not.toHaveBeenCalled();
    expect(lengths.splice(0)).toEqual([60, 60, 10, 10, 10, 10, 9]);
    expect(idsOf(await lookUp(all.slice(0, 20), source))).toEqual(all.slice(0, 20));
    expect(lengths).toEqual([10, 10]);
  });
});

describe.each<[string, (ids: readonly string[]) => readonly string[], number]>([
  ['the first value', (ids) => ids.slice(0, 1), 9],
  ['the last value', (ids) => ids.slice(-1), 9],
  ['the first two values', (ids) => ids.slice(0, 2), 1],
  ['the first five values', (ids) => ids.slice(0, 5), 0],
  ['the last five values', (ids) => ids.slice(-5), 9],
  ['no value', () => [], 9],
])('a search that reads %s', (_what, readOf, alone) => {
  const existing = numbers(9);
  const createLimited = (isCounted: boolean) => {
    const { source, readOne } = createSource({
      rows: toRows(existing),
      readList: async ({ where, pageNumber = 1, perPage }) => {
        const [condition] = where;
        const ids = condition ? readOf(condition.values) : existing;
        const items = toRows(existing.filter((id) => ids.includes(id)));
        const start = (pageNumber - 1) * perPage;
        return {
          items: items.slice(start, start + perPage),
          ...(isCounted && { total: items.length }),
        };
      },
    });
    return { source, readOne };
  };

  it.each([
    [['n0', 'n1', 'n2']],
    [['n0', 'n1', 'n2', 'n3', 'n4', 'n5']],
    [['x', 'n1', 'n2']],
    [['n0', 'x', 'n2', 'n3']],
    [['n2', 'n3', 'x']],
    [['x', 'n1', 'y', 'n3', 'n4', 'n5', 'z']],
    [['x', 'n0', 'n1', 'n2', 'n3', 'n4', 'y']],
    [['x', 'n3', 'n4', 'n5', 'n6', 'n7', 'y']],
    [['x', 'y', 'n5', 'n6', 'n7', 'n8', 'z']],
  ])('hides no record of %j, before and after other look-ups', async (ids) => {
    for (const isCounted of [true, false]) {
      const { source } = createLimited(isCounted);
      for (const requested of [ids, existing, ['x', 'n0', 'y'], ids]) {
        const results = await lookUp(requested, source);

        const isFound = (result: unknown, at: number) =>
          result instanceof Error ||
          idsOf([result as Row])[0] === requested[at] ||
          !existing.includes(String(requested[at]));
        expect(results.every(isFound)).toBe(true);
      }
    }
  });

  it('has at most as many ids from then on, and the others are read on their own', async () => {
    const { source, readOne } = createLimited(true);
    expect(idsOf(await lookUp(existing, source))).toEqual(existing);
    readOne.mockClear();

    expect(idsOf(await lookUp(existing, source))).toEqual(existing);
    expect(readOne).toHaveBeenCalledTimes(alone);
  });
});

it('the address of a look-up has fewer than 1,800 characters, however long the ids and the path are', async () => {
  const lengths: number[] = [];
  for (const idLength of [1, 19, 60, 300]) {
    for (const pathLength of [6, 200, 900]) {
      const ids = Array.from({ length: 100 }, (_, at) => `ä${at}`.padEnd(idLength, 'x'));
      const path = `/${'f'.repeat(pathLength)}`;
      const { source, readList } = createSource({ rows: toRows(ids), path: () => path });

      expect(idsOf(await lookUp(ids, source))).toEqual(ids);

      for (const [query] of readList.mock.calls) {
        lengths.push(`/v1.0${path}${formatListQuery(query, source.dialect)}`.length);
      }
    }
  }

  expect(Math.max(...lengths)).toBeLessThan(1_800);
  expect(Math.max(...lengths)).toBeGreaterThan(1_600);
});
