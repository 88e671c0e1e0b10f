import { LRUCache } from 'lru-cache';

import type { Dialect } from './dialect.ts';
import type { PageRecord } from './records.ts';
import { type ListQuery, maxIdsOf, maxPageSizeOf } from './search.ts';

/** A member of the dialect that a list's pages reveal. */
export type ListSetting =
  | 'list.maxPageSize'
  | 'list.isPagedById'
  | 'list.total'
  | 'search.maxIds'
  | 'search.operators.IN';

/**
 * Reports once a member that the dialect should have, with its number if there is one. `list` is a
 * form's id, or `forms`.
 */
export type ListReport = (list: string, setting: ListSetting, rows?: number) => void;

/** A page whose `total` is the number of rows in the whole list. */
export interface CountedPage<T> extends PageRecord<T> {
  /** The total in the response. It may be the number of rows in the page. */
  readonly stated: number | undefined;
}

/**
 * The paging state of one list, shared by all callers. The interface leaves the maximum page size
 * open. A platform may send shorter pages, ignore or refuse the order of ids, and send a page's
 * number of rows as the total.
 */
export class ListPaging {
  /** The largest page to request. */
  readonly largest: number;
  /** The platform's number of the first page. */
  readonly firstPage: number;
  /**
   * The longest page so far, or the dialect's maximum. The platform does not shorten pages of this
   * size.
   */
  granted: number;
  /**
   * Whether the list can be searched for the rows after an id. `undefined` until a page shows it.
   */
  isById: boolean | undefined;
  /** Whether the platform accepts the order of ids. `undefined` until a response shows it. */
  takesOrder: boolean | undefined;
  /** Whether the list ends at its total. Until a page shows it, rows may follow a full page. */
  isExact: boolean;
  /** The highest number of ids in a look-up. */
  maxIds: number;
  /** The size of the largest look-up that is known to miss no record. */
  searchedIds = 0;
  readonly #list: string;
  readonly #report: ListReport;
  readonly #isTotalNamed: boolean;
  /** Whether totals are of the whole list. `undefined` until a page shows it. */
  #isTotal: boolean | undefined;
  #cut = 0;

  constructor(list: string, dialect: Dialect, report: ListReport) {
    this.largest = maxPageSizeOf(dialect);
    this.firstPage = dialect.list.firstPage ?? 1;
    this.granted = dialect.list.maxPageSize ?? 0;
    this.isById = dialect.list.isPagedById;
    this.maxIds = maxIdsOf(dialect);
    this.#isTotalNamed = dialect.list.total !== undefined;
    this.#isTotal = this.#isTotalNamed || undefined;
    this.isExact = this.#isTotalNamed;
    this.#list = list;
    this.#report = report;
  }

  /**
   * The largest page to request by number. If pages are shortened, it is their length, unless a
   * longer page was received later.
   */
  get max(): number {
    return this.granted > 0 && this.granted === this.#cut ? this.granted : this.largest;
  }

  /** Whether totals are known to count all rows. */
  get isTotal(): boolean {
    return this.#isTotal === true;
  }

  /** Returns a page. Removes its total if that may not be of the whole list. */
  count<T>(page: PageRecord<T>, query: PageQuery): CountedPage<T> {
    const { items, total: stated } = page;
    if (stated === undefined) return { ...page, stated };
    const isFirst = query.pageNumber === 1;
    const seen = rowsSeen(page, query, this.granted);
    const isOfPage = stated === items.length && items.length > 0 && !isFirst;
    const isOfMore = stated > seen && (items.length > 0 || !isFirst);
    if (isOfPage || isOfMore) this.noteTotal(isOfMore);
    const isLast = items.length < query.perPage && (items.length > 0 || !isFirst);
    if (isLast) this.isExact = stated === endOf(page, query);
    const isOpen = this.#isTotal === undefined && stated === items.length && isUnclear(page, query);
    const isBelieved = this.#isTotal !== false && stated >= seen && !isOpen;
    return { ...page, stated, total: isBelieved ? stated : undefined };
  }

  /**
   * Notes whether the list's totals are of the whole list. A total that the dialect names always
   * is.
   */
  noteTotal(isTotal: boolean): void {
    if (this.#isTotalNamed || this.#isTotal === false) return;
    if (!isTotal) this.#report(this.#list, 'list.total');
    this.#isTotal = isTotal;
  }

  /** Notes the length of a page. More rows than requested mean a list without pages. */
  noteLength(perPage: number, { items: { length } }: PageRecord<unknown>): void {
    if (length <= perPage) this.granted = Math.max(this.granted, length);
  }

  /** Notes that rows follow a page of this length, although it is shorter than requested. */
  noteCut(rows: number): void {
    if (rows !== this.#cut) this.#report(this.#list, 'list.maxPageSize', rows);
    this.granted = rows;
    this.#cut = rows;
  }

  /** Reads the list by position from now on. */
  giveUpIds(): void {
    if (this.isById !== false) this.#report(this.#list, 'list.isPagedById');
    this.isById = false;
  }

  /** Notes that the platform has read all values of a look-up. */
  noteSearched(ids: number): void {
    this.searchedIds = Math.max(this.searchedIds, ids);
  }

  /** Notes that the platform refuses look-ups with more ids, or ignores the others. */
  noteMaxIds(maxIds: number): void {
    const setting = maxIds > 1 ? 'search.maxIds' : 'search.operators.IN';
    if (maxIds < this.maxIds) this.#report(this.#list, setting, maxIds);
    this.maxIds = Math.min(this.maxIds, maxIds);
  }
}

type PageQuery = Pick<ListQuery, 'pageNumber' | 'perPage'>;

/** Returns the position after the last row of a page. */
export const endOf = (
  { items }: PageRecord<unknown>,
  { pageNumber = 1, perPage }: PageQuery,
): number => items.length + (pageNumber - 1) * perPage;

/**
 * Returns the smallest possible number of rows in a list, based on one page.
 *
 * @param granted the longest page so far.
 */
function rowsSeen(page: PageRecord<unknown>, query: PageQuery, granted: number): number {
  const { items } = page;
  const { pageNumber = 1, perPage } = query;
  if (items.length === 0) return 0;
  // If the platform shortens its pages, this page starts at an earlier row.
  const isPlaced = pageNumber === 1 || items.length >= perPage || perPage <= granted;
  return isPlaced ? endOf(page, query) : items.length + 1;
}

/**
 * Returns whether a total that equals a page's rows may be of the page, although the list has more.
 */
function isUnclear(
  { items: { length }, hasNext, isCount }: PageRecord<unknown>,
  query: PageQuery,
): boolean {
  if (query.pageNumber !== 1 || length === 0) return query.pageNumber !== 1;
  return hasNext !== false && (length >= query.perPage || isCount === true);
}

/** The paging state of all lists, by operation and form. */
export interface Lists {
  of(operation: string, formId?: string): ListPaging;
  /** Returns the dialect with the smallest look-up limit of all lists. Used to estimate costs. */
  dialect(): Dialect;
}

/** Creates the paging state of all lists. It is learned from responses. */
export function createLists(dialect: Dialect, report: ListReport): Lists {
  // The state of a removed list is learned again.
  const lists = new LRUCache<string, ListPaging>({ max: 10_000 });
  let shown = dialect;
  const onReport: ListReport = (list, setting, rows) => {
    if (setting.startsWith('search.'))
      shown = { ...dialect, search: { ...dialect.search, maxIds: rows } };
    report(list, setting, rows);
  };
  return {
    of(operation, formId) {
      const key = `${operation} ${formId}`;
      const list = lists.get(key) ?? new ListPaging(formId ?? 'forms', dialect, onReport);
      lists.set(key, list);
      return list;
    },
    dialect: () => shown,
  };
}
