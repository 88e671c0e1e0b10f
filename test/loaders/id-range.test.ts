import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { UpstreamError } from '../../src/core/errors.ts';
import { type IdSource, idOrderOf, readInIdOrder } from '../../src/loaders/list-range.ts';
import type { ListQuery, Order } from '../../src/upstream/search.ts';
import { ListPaging } from '../../src/upstream/search.ts';
import { dialectOf } from '../upstream/support/open.ts';

interface Platform {
  readonly tells: 'totals' | 'links' | 'nothing';
  readonly longestPage: number;
  readonly direction?: Order['direction'];
  /** What it does with the order of ids, and with the criterion for what follows one. */
  readonly sort?: 'heeds' | 'ignores' | 'refuses';
  readonly criterion?: 'heeds' | 'ignores' | 'refuses';
  /** Whether the client asked for the order. */
  readonly isAsked?: boolean;
  readonly isPagedById?: boolean;
}

const FIELD = 'idInstance';
const ALL = { where: [], orderBy: [] };

/** A list of ids on a platform, in its own order, which changes before each call as `onCall` does it. */
function createList(platform: Platform, ids: readonly number[]) {
  const { tells, longestPage, direction = 'ASC', sort = 'heeds', criterion = 'heeds', isAsked = false } = platform;
  const list = { ids: [...ids], queries: [] as ListQuery[], onCall: () => {} };
  const findings: string[] = [];
  const { isPagedById } = platform;
  const dialect = dialectOf({ list: { ...(isPagedById === undefined ? {} : { isPagedById }) } });
  const paging = new ListPaging('a', dialect, (_list, setting) => findings.push(setting));
  const order = { field: FIELD, direction };
  const select = ({ where: [where], orderBy: [by] }: ListQuery): readonly number[] => {
    if ((by && sort === 'refuses') || (where && criterion === 'refuses')) {
      throw new UpstreamError('rejected', { operation: 'getFormIntances', status: 400 });
    }
    const sign = where?.operator === 'LT' ? -1 : 1;
    const isThere = (id: number) => !where || criterion === 'ignores' || sign * (id - Number(where.values[0])) > 0;
    const found = list.ids.filter(isThere);
    if (!by || sort === 'ignores') return found;
    return found.sort((one, other) => (by.direction === 'DESC' ? other - one : one - other));
  };
  const source: IdSource<string> = {
    operation: 'getFormIntances',
    paging,
    order,
    idOf: String,
    async readList(query) {
      list.queries.push(query);
      list.onCall();
      const all = select(query);
      const size = Math.min(query.perPage, longestPage);
      const end = query.pageNumber * size;
      return {
        items: all.slice(end - size, end).map(String),
        ...(tells === 'totals' && { total: all.length }),
        ...(tells === 'links' && { hasNext: end < all.length }),
      };
    },
  };
  const search = { where: [], orderBy: isAsked ? [order] : [] };
  /** Reads all pages, as a client does. */
  const readAll = async (count: number): Promise<number[]> => {
    const seen: number[] = [];
    for (
      let [after, whole, offset] = [undefined as string | undefined, undefined as number | undefined, 0];
      ;
      offset += count
    ) {
      const { rows, hasNext, ids, total } = await readInIdOrder(
        { ...search, offset, count, after, total: whole },
        source,
      );
      seen.push(...rows.map(Number));
      if (!hasNext) return seen;
      expect(rows).toHaveLength(count);
      after = ids?.at(-1);
      whole = total;
    }
  };
  return { list, source, findings, readAll };
}

const tells = fc.constantFrom('totals' as const, 'links' as const, 'nothing' as const);
const direction = fc.constantFrom('ASC' as const, 'DESC' as const);
const walks = fc.integer({ min: 2, max: 40 }).chain((longestPage) =>
  fc.record({
    longestPage: fc.constant(longestPage),
    tells,
    direction,
    count: fc.oneof(fc.integer({ min: 1, max: 120 }), fc.constant(longestPage)),
    size: fc.oneof(fc.nat(150), fc.constantFrom(longestPage, 2 * longestPage, longestPage + 1)),
    changes: fc.array(fc.array(fc.tuple(fc.boolean(), fc.nat(400)), { maxLength: 20 })),
  }),
);
const numbers = (size: number, factor = 1) => Array.from({ length: size }, (_, row) => factor * row);

describe('a list in the order of ids', () => {
  it('loses and repeats no row that is there throughout, whatever changes before any call', async () => {
    await fc.assert(
      fc.asyncProperty(walks, async ({ size, count, changes, ...platform }) => {
        // Every second id is free at first.
        const ids = numbers(size, 2);
        const { list, readAll, findings } = createList(platform, ids);
        const there = new Set(ids);
        const left = [...changes];
        const change = ([isInserted, id]: readonly [boolean, number]) => {
          const isThere = list.ids.includes(id);
          if (isInserted && !isThere) list.ids.push(id);
          if (isInserted || !isThere) return;
          list.ids.splice(list.ids.indexOf(id), 1);
          there.delete(id);
        };
        list.onCall = () => left.shift()?.forEach(change);
        const seen = await readAll(count);
        const sign = platform.direction === 'DESC' ? -1 : 1;

        expect([...there].filter((id) => !seen.includes(id))).toEqual([]);
        expect(seen).toEqual([...new Set(seen)].sort((one, other) => sign * (one - other)));
        expect(findings.filter((setting) => setting !== 'list.maxPageSize')).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('costs one call for each page of the platform that it takes, and one more where nothing is told', async () => {
    await fc.assert(
      fc.asyncProperty(walks, async ({ size, count, changes: _, ...platform }) => {
        const ids = numbers(size);
        const { list, source } = createList({ ...platform, direction: 'ASC', isPagedById: true }, ids);

        const { rows, total } = await readInIdOrder({ ...ALL, offset: 7, count, after: '-1' }, source);

        const least = Math.max(1, Math.ceil(rows.length / Math.min(platform.longestPage, 100)));
        expect(rows).toEqual(ids.slice(0, count).map(String));
        expect(total).toBe(platform.tells === 'totals' ? 7 + size : undefined);
        expect(list.queries.length).toBeLessThanOrEqual(platform.tells === 'nothing' ? least + 1 : least);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['nothing', 2],
    ['links', 2],
    ['totals', 0],
  ] as const)(
    'costs two calls once where the dialect does not say it and the platform tells %s: %i',
    async (tells, more) => {
      const { list, readAll } = createList({ tells, longestPage: 100 }, numbers(90));
      const calls = async () => {
        list.queries.length = 0;
        await readAll(20);
        return list.queries.length;
      };

      expect([await calls(), await calls()]).toEqual([5 + more, 5]);
    },
  );

  it('is read without a proof where the dialect says that it follows ids', async () => {
    const { list, readAll } = createList({ tells: 'totals', longestPage: 100, isPagedById: true }, numbers(60));

    expect(await readAll(20)).toEqual(numbers(60));
    expect(list.queries).toHaveLength(3);
  });

  it('compares ids that no double tells apart', async () => {
    const { source } = createList({ tells: 'totals', longestPage: 10 }, []);
    const readList = async () => ({ items: ['9007199254740992', '9007199254740993'], total: 2 });

    const { rows, ids } = await readInIdOrder({ ...ALL, offset: 0, count: 3 }, { ...source, readList });

    expect(ids).toEqual(rows);
    expect(rows).toHaveLength(2);
  });

  it('is malformed where the platform announces more rows and sends none', async () => {
    const { source } = createList({ tells: 'totals', longestPage: 10 }, []);
    const readList = async () => ({ items: [], total: 5 });

    const reading = readInIdOrder({ ...ALL, offset: 0, count: 5 }, { ...source, readList });

    await expect(reading).rejects.toMatchObject({ failure: 'malformed', advice: expect.stringMatching(/maxPageSize/) });
  });
});

describe('a list that does not follow ids', () => {
  const platforms = fc
    .record({
      sort: fc.constantFrom('heeds' as const, 'ignores' as const, 'refuses' as const),
      criterion: fc.constantFrom('heeds' as const, 'ignores' as const, 'refuses' as const),
      isAsked: fc.boolean(),
      tells,
      direction,
      longestPage: fc.integer({ min: 2, max: 60 }),
    })
    // An order that a client asks for, and that the platform refuses, is the client's to change.
    .filter(({ sort, isAsked }) => sort !== 'refuses' || !isAsked);
  const anyOrder = fc.uniqueArray(fc.nat(300), { maxLength: 60 });
  // All in order but for a few, as where changed rows move to the end.
  const nearlyInOrder = fc.tuple(fc.nat(60), fc.array(fc.nat(59), { maxLength: 3 })).map(([size, moved]) => {
    const late = new Set(moved.filter((id) => id < size));
    return [...numbers(size).filter((id) => !late.has(id)), ...late];
  });

  it('is read to its end by position: each row once, although pages are in order by chance', async () => {
    await fc.assert(
      fc.asyncProperty(
        platforms,
        fc.oneof(anyOrder, nearlyInOrder),
        fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 70 })),
        async (platform, ids, count) => {
          const { readAll, findings } = createList(platform, ids);

          const seen = await readAll(count);

          expect(seen.toSorted((one, other) => one - other)).toEqual(ids.toSorted((one, other) => one - other));
          const settings = findings.filter((setting) => setting !== 'list.maxPageSize');
          expect(settings.length).toBeLessThanOrEqual(1);
          expect(['list.isPagedById', undefined]).toContain(settings[0]);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it.each([
    ['ignores the order', { sort: 'ignores' }, 'list.isPagedById'],
    ['ignores the criterion', { criterion: 'ignores' }, 'list.isPagedById'],
    ['refuses the criterion', { criterion: 'refuses' }, 'list.isPagedById'],
    ['refuses the order', { sort: 'refuses' }, 'list.isPagedById'],
  ] as const)('is found out once where the platform %s, and costs no call more then', async (_what, does, setting) => {
    const ids = [1, 2, 3, 9, 8, 7, 6, 5, 4];
    const { list, readAll, findings } = createList({ tells: 'totals', longestPage: 10, ...does }, ids);

    expect((await readAll(3)).toSorted((one, other) => one - other)).toEqual(numbers(10).slice(1));
    list.queries.length = 0;
    expect((await readAll(3)).toSorted((one, other) => one - other)).toEqual(numbers(10).slice(1));

    expect(findings).toEqual([setting]);
    expect(list.queries).toHaveLength(3);
  });

  it('is not what a refused condition shows', async () => {
    const { source, findings, readAll } = createList({ tells: 'totals', longestPage: 10 }, numbers(9));
    const reading = readInIdOrder(
      { ...ALL, offset: 3, count: 3, after: '2' },
      {
        ...source,
        readList: async () => {
          throw new UpstreamError('rejected', { operation: 'getFormIntances', status: 400 });
        },
      },
    );

    await expect(reading).rejects.toMatchObject({ status: 400 });
    expect(await readAll(3)).toEqual(numbers(9));
    expect(findings).toEqual([]);
    expect(source.paging.isById).not.toBe(false);
  });
});

describe('the order of ids', () => {
  const orderOf = (
    search: Partial<Pick<ListQuery, 'where' | 'orderBy'>>,
    file: object = {},
    operation = 'getFormIntances',
  ) => idOrderOf(operation, { where: [], orderBy: [], ...search }, dialectOf(file));
  const by = (field: string, way: Order['direction'] = 'ASC'): Order => ({ field, direction: way });

  it('is that of a list without another one, in both directions', () => {
    expect(orderOf({})).toEqual(by(FIELD));
    expect(orderOf({ orderBy: [by(FIELD, 'DESC')] })).toEqual(by(FIELD, 'DESC'));
    expect(orderOf({ orderBy: [by(FIELD), by('rank')] })).toEqual(by(FIELD));
  });

  it('is not that of forms, of another first key, of a condition on the id, or where the platform lacks what it takes', () => {
    expect(orderOf({}, {}, 'getForms')).toBeUndefined();
    expect(orderOf({ orderBy: [by('rank'), by(FIELD)] })).toBeUndefined();
    expect(orderOf({ where: [{ field: FIELD, operator: 'GT', values: ['4'] }] })).toBeUndefined();
    expect(orderOf({}, { list: { isSorted: false } })).toBeUndefined();
    expect(orderOf({}, { list: { isPagedById: false } })).toBeUndefined();
    expect(orderOf({}, { search: { operators: { GT: null } } })).toBeUndefined();
    expect(orderOf({ orderBy: [by(FIELD, 'DESC')] }, { search: { operators: { GT: null } } })).toBeDefined();
    expect(orderOf({ orderBy: [by(FIELD, 'DESC')] }, { search: { operators: { LT: null } } })).toBeUndefined();
  });
});
