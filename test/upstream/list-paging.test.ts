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

describe('a total', () => {
  it.each<Page>([
    { rows: 20, total: 50 },
    { rows: 20, total: 50, isCount: true },
    { rows: 5, total: 5 },
    { rows: 0, total: 0 },
    { ...FULL, hasNext: false },
    { number: 3, rows: 10, total: 50 },
    { number: 2, rows: 20, total: 40 },
    { number: 4, rows: 0, total: 50 },
    // A page that may be cut, and so begin earlier.
    { number: 3, perPage: 55, rows: 50, total: 150 },
  ])('counts the list: %j', (page) => {
    expect(totalsOf([page])).toEqual({ totals: [page.total], findings: [] });
  });

  it.each<Page>([
    { rows: 5, total: 0 },
    { rows: 5, total: 4 },
    { number: 3, rows: 20, total: 45 },
    FULL,
    { ...FULL, hasNext: true },
    { perPage: 1, rows: 1, total: 1 },
    { rows: 5, total: 5, isCount: true },
    { rows: 55, total: 55 },
    { number: 4, rows: 0, total: 0 },
  ])('is not believed where it may be something else: %j', (page) => {
    expect(totalsOf([page])).toEqual({ totals: [undefined], findings: [] });
  });

  it.each<Page>([
    { number: 2, ...FULL },
    { number: 3, rows: 7, total: 7 },
    // A page that may be cut.
    { number: 2, perPage: 55, rows: 50, total: 50 },
  ])('counts the rows of a page where rows are before them: %j, with one report', (page) => {
    const pages = [page, FULL, { rows: 5, total: 5 }, { rows: 20, total: 90 }];

    expect(totalsOf(pages)).toEqual({
      totals: Array(4).fill(undefined),
      findings: ['list.total'],
    });
  });

  it.each<Page>([
    { rows: 20, total: 50 },
    { number: 2, rows: 20, total: 50 },
    { number: 3, rows: 0, total: 20 },
  ])('of one row stays 1 once the total has counted the list: %j', (page) => {
    const small = { perPage: 1, rows: 1, total: 1, isCount: true };

    expect(totalsOf([page, small]).totals.at(-1)).toBe(1);
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
});

describe('a finding about a list', () => {
  it('is that list’s alone, also where one form has several', () => {
    const lists = createLists(dialectOf(), () => undefined);
    const page = { items: Array(20).fill('row'), total: 20 };
    const count = (formId: string) =>
      lists.of('getFormIntances', formId).count(page, { pageNumber: 1, perPage: 20 }).total;
    const known = lists.of('getFormIntances', 'a');
    known.giveUpIds();
    known.noteMaxIds(25);
    known.count({ ...page, total: 90 }, { pageNumber: 1, perPage: 20 });

    expect([known.isById, known.maxIds, count('a')]).toEqual([false, 25, 20]);
    expect(count('b')).toBeUndefined();
    for (const other of [
      lists.of('getFormIntances', 'b'),
      lists.of('getOthers', 'a'),
      lists.of('getForms'),
    ]) {
      expect(other).toMatchObject({ isById: undefined, maxIds: 100 });
    }
  });

  it('counts for the cost of all lists, and is reported once', () => {
    const dialect = dialectOf();
    const reports: unknown[] = [];
    const lists = createLists(dialect, (...report) => reports.push(report));

    for (const _time of [1, 2]) lists.of('getFormIntances', 'a').noteMaxIds(25);

    expect(lists.dialect()).toEqual({ ...dialect, search: { ...dialect.search, maxIds: 25 } });
    expect(reports).toEqual([['a', 'search.maxIds', 25]]);
  });

  it('may be what the dialect says', () => {
    const lists = createLists(dialectOf({ search: { maxIds: 30 } }), () => undefined);

    expect(lists.of('getForms').maxIds).toBe(30);
  });
});
