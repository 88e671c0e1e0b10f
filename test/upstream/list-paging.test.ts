import { describe, expect, it } from 'vitest';

import { createLists, ListPaging } from '../../src/upstream/list-paging.ts';
import { dialectOf } from './support/open.ts';

interface Page {
  /** The page's number, from 1. */
  readonly number?: number;
  readonly perPage?: number;
  readonly rows: number;
  readonly total: number;
  readonly isCount?: boolean;
  readonly hasNext?: boolean;
}

/** Returns the total that is known after each page of a list. */
function totalsOf(pages: readonly Page[], list: object = {}) {
  const findings: string[] = [];
  const paging = new ListPaging('a', dialectOf({ list }), (_list, setting) =>
    findings.push(setting),
  );
  const totals = pages.map(({ number = 1, perPage = 20, rows, ...page }) => {
    const counted = paging.count(
      { items: Array(rows).fill('row'), ...page },
      { pageNumber: number, perPage },
    );
    paging.noteLength(perPage, counted);
    expect(counted.stated).toBe(page.total);
    return counted.total;
  });
  return { totals, findings };
}

const FULL = { rows: 20, total: 20 };
const COUNT = { isCount: true };

describe('a total', () => {
  it.each<[what: string, pages: readonly Page[], totals: readonly (number | undefined)[]]>([
    ['of more rows than came', [{ rows: 20, total: 50 }], [50]],
    ['of more rows than came, by an unclear name', [{ rows: 20, total: 50, ...COUNT }], [50]],
    ['of a short page', [{ rows: 5, total: 5 }], [5]],
    ['of no rows', [{ rows: 0, total: 0 }], [0]],
    ['of a full page without a next link', [{ ...FULL, hasNext: false }], [20]],
    ['of a later page', [{ number: 3, rows: 10, total: 50 }], [50]],
    ['of a full page that is the last', [{ number: 2, rows: 20, total: 40 }], [40]],
    ['of rows before a page without any', [{ number: 4, rows: 0, total: 50 }], [50]],
    [
      'of a page that may be cut, and so begin earlier',
      [{ number: 3, perPage: 55, rows: 50, total: 150 }],
      [150],
    ],
  ])('counts the list: %s', (_what, pages, totals) => {
    expect(totalsOf(pages)).toEqual({ totals, findings: [] });
  });

  it.each<[what: string, pages: readonly Page[]]>([
    ['0 beside rows', [{ rows: 5, total: 0 }]],
    ['less than the rows of the page', [{ rows: 5, total: 4 }]],
    ['less than the rows so far', [{ number: 3, rows: 20, total: 45 }]],
    ['the rows of a full page', [FULL]],
    ['the rows of a full page, beside a next link', [{ ...FULL, hasNext: true }]],
    ['the rows of a page of one', [{ perPage: 1, rows: 1, total: 1 }]],
    ['the rows of a short page, by an unclear name', [{ rows: 5, total: 5, ...COUNT }]],
    ['the rows of a list without pages', [{ rows: 55, total: 55 }]],
    ['0 of a later page without rows', [{ number: 4, rows: 0, total: 0 }]],
  ])('is not believed where it may be something else: %s', (_what, pages) => {
    expect(totalsOf(pages)).toEqual({ totals: [undefined], findings: [] });
  });

  it.each<[what: string, page: Page]>([
    ['a full page', { number: 2, ...FULL }],
    ['a short page', { number: 3, rows: 7, total: 7 }],
    ['a page that may be cut', { number: 2, perPage: 55, rows: 50, total: 50 }],
  ])('counts the rows of a page where rows are before them: %s, with one report', (_what, page) => {
    const pages = [page, FULL, { rows: 5, total: 5 }, { rows: 20, total: 90 }];

    expect(totalsOf(pages)).toEqual({
      totals: [undefined, undefined, undefined, undefined],
      findings: ['list.total'],
    });
  });

  it.each<[what: string, pages: readonly Page[]]>([
    ['more rows than came', [{ rows: 20, total: 50 }]],
    ['rows before a later page', [{ number: 2, rows: 20, total: 50 }]],
    ['rows before a page without any', [{ number: 3, rows: 0, total: 20 }]],
  ])('counts the list once it has counted %s: one of 1 stays 1', (_what, pages) => {
    const small = { perPage: 1, rows: 1, total: 1, ...COUNT };

    expect(totalsOf([...pages, small]).totals.at(-1)).toBe(1);
  });

  it('counts the list where the dialect names it, unless other rows were seen', () => {
    const named = { total: ['count'] };
    const small = { perPage: 1, rows: 1, total: 1 };

    expect(totalsOf([small, FULL], named)).toEqual({ totals: [1, 20], findings: [] });
    expect(totalsOf([{ number: 2, ...FULL }, { rows: 5, total: 0 }, FULL], named)).toEqual({
      totals: [undefined, undefined, 20],
      findings: [],
    });
  });

  it('is found out for each list alone', () => {
    const lists = createLists(dialectOf(), () => undefined);
    const page = { items: Array(20).fill('row'), total: 20 };
    const count = (formId: string, pageNumber: number) =>
      lists.of('getFormIntances', formId).count(page, { pageNumber, perPage: 20 }).total;
    lists.of('getFormIntances', 'a').count({ ...page, total: 90 }, { pageNumber: 1, perPage: 20 });

    expect([count('a', 1), count('b', 1)]).toEqual([20, undefined]);
  });
});

describe('how many ids a look-up has', () => {
  it('is kept for the list, and for the cost of all', () => {
    const dialect = dialectOf();
    const reports: unknown[] = [];
    const lists = createLists(dialect, (...report) => reports.push(report));
    expect(lists.dialect()).toBe(dialect);

    lists.of('getFormIntances', 'a').noteMaxIds(25);
    lists.of('getFormIntances', 'a').noteMaxIds(25);

    expect(lists.of('getFormIntances', 'a').maxIds).toBe(25);
    expect(lists.of('getFormIntances', 'b').maxIds).toBe(100);
    expect(lists.dialect()).toEqual({ ...dialect, search: { ...dialect.search, maxIds: 25 } });
    expect(reports).toEqual([['a', 'search.maxIds', 25]]);
  });

  it('may be what the dialect says', () => {
    const lists = createLists(dialectOf({ search: { maxIds: 30 } }), () => undefined);

    expect(lists.of('getForms').maxIds).toBe(30);
  });
});
