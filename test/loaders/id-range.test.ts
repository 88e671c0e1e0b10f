import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { UpstreamError } from '../../src/core/errors.ts';
import { type IdSource, readInIdOrder } from '../../src/loaders/id-range.ts';
import type { ListSlice } from '../../src/loaders/list-range.ts';
import { ListPaging } from '../../src/upstream/list-paging.ts';
import type { ListQuery, Order } from '../../src/upstream/search.ts';
import { dialectOf } from '../upstream/support/open.ts';

interface Platform {
  readonly tells: 'totals' | 'links' | 'nothing';
  readonly longestPage: number;
  readonly direction?: Order['direction'];
  readonly isPagedById?: boolean;
}

const FIELD = 'idInstance';
const ALL = { where: [], orderBy: [] };

/**
 * A list of ids on a platform, in its own order, which changes before each call as `onCall` does
 * it.
 */
function createList(platform: Platform, ids: readonly number[]) {
  const { tells, longestPage, direction = 'ASC', isPagedById } = platform;
  const list = { ids: [...ids], queries: [] as ListQuery[], onCall: () => {} };
  const findings: string[] = [];
  const dialect = dialectOf({ list: { ...(isPagedById === undefined ? {} : { isPagedById }) } });
  const paging = new ListPaging('a', dialect, (_list, setting) => findings.push(setting));
  const order = { field: FIELD, direction };
  const select = ({ where: [where], orderBy: [by] }: ListQuery): readonly number[] => {
    const sign = where?.operator === 'LT' ? -1 : 1;
    const found = list.ids.filter((id) => !where || sign * (id - Number(where.values[0])) > 0);
    return found.sort((one, other) => (by?.direction === 'DESC' ? other - one : one - other));
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
      const end = (query.pageNumber ?? 1) * size;
      return {
        items: all.slice(end - size, end).map(String),
        ...(tells === 'totals' && { total: all.length }),
        ...(tells === 'links' && { hasNext: end < all.length }),
      };
    },
  };
  /** Reads all pages, as a client does. */
  const readAll = async (count: number): Promise<number[]> => {
    const seen: number[] = [];
    let after: string | undefined;
    let whole: number | undefined;
    for (let offset = 0; ; offset += count) {
      const slice: ListSlice<string> = await readInIdOrder(
        { ...ALL, offset, count, after, total: whole },
        source,
      );
      seen.push(...slice.rows.map(Number));
      if (!slice.hasNext) return seen;
      expect(slice.rows).toHaveLength(count);
      after = slice.ids?.at(-1);
      whole = slice.total;
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
const numbers = (size: number, factor = 1) =>
  Array.from({ length: size }, (_, row) => factor * row);

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

  it('costs one call for each page of the platform, and one more if the platform states no total', async () => {
    await fc.assert(
      fc.asyncProperty(walks, async ({ size, count, changes: _, ...platform }) => {
        const ids = numbers(size);
        const { list, source } = createList(
          { ...platform, direction: 'ASC', isPagedById: true },
          ids,
        );

        const whole = platform.tells === 'totals' ? 7 + size : undefined;
        const range = { offset: 7, count, after: '-1', total: whole };

        const { rows, total } = await readInIdOrder({ ...ALL, ...range }, source);

        const least = Math.max(1, Math.ceil(rows.length / Math.min(platform.longestPage, 100)));
        expect(rows).toEqual(ids.slice(0, count).map(String));
        expect(total).toBe(whole);
        expect(list.queries.length).toBeLessThanOrEqual(
          platform.tells === 'nothing' ? least + 1 : least,
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it('compares ids that are equal as doubles', async () => {
    const { source } = createList({ tells: 'totals', longestPage: 10 }, []);
    const readList = async () => ({ items: ['9007199254740992', '9007199254740993'], total: 2 });

    const { rows, ids } = await readInIdOrder(
      { ...ALL, offset: 0, count: 3 },
      { ...source, readList },
    );

    expect(ids).toEqual(rows);
    expect(rows).toHaveLength(2);
  });
});

it('a refused condition does not mean that a list does not follow ids', async () => {
  const { source, findings, readAll } = createList(
    { tells: 'totals', longestPage: 10 },
    numbers(9),
  );
  const readList = () =>
    Promise.reject(new UpstreamError('rejected', { operation: 'getFormIntances', status: 400 }));
  const reading = readInIdOrder(
    { ...ALL, offset: 3, count: 3, after: '2' },
    { ...source, readList },
  );

  await expect(reading).rejects.toMatchObject({ status: 400 });
  expect(await readAll(3)).toEqual(numbers(9));
  expect(findings).toEqual([]);
  expect(source.paging.isById).not.toBe(false);
});
