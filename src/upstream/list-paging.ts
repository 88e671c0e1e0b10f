import { LRUCache } from 'lru-cache';

import type { Dialect } from './dialect.ts';
import type { PageRecord } from './records.ts';
import { type ListQuery, maxIdsOf, maxPageSizeOf } from './search.ts';

/** A member of the dialect that a list shows. */
export type ListSetting = 'list.maxPageSize' | 'list.isPagedById' | 'list.total' | 'search.maxIds';

/**
 * Reports once a member that the dialect should have, with its number if it has one. `list` is the id of a form, or `forms`.
 */
export type ListReport = (list: string, setting: ListSetting, rows?: number) => void;

/** A page whose total counts the whole list. */
export interface CountedPage<T> extends PageRecord<T> {
  /** The total as the platform stated it. It may count the rows of the page alone. */
  readonly stated: number | undefined;
}

/**
 * Paging habits of one list, shared by all callers. The interface leaves the maximum page size open. A platform may send
 * shorter pages than requested, ignore or refuse the order of ids, and state the rows of a page as the total.
 */
export class ListPaging {
  /** The largest page that may be requested. */
  readonly largest: number;
  /** The platform's number of the first page. */
  readonly firstPage: number;
  /** The longest page so far, or the dialect's maximum. The platform does not cut a page of this size. */
  granted: number;
  /** Whether the list can be searched for the rows after an id; `undefined` until a page shows it. */
  isById: boolean | undefined;
  /** Whether the platform accepts the order of ids; `undefined` until a response shows it. */
  takesOrder: boolean | undefined;
  /** Whether the list ends where its total says; until a page shows it, rows may follow a full page. */
  isExact: boolean;
  /** How many ids a look-up may have. */
  maxIds: number;
  /** Whether a record that a look-up left out turned out to be absent. */
  findsAll = false;
  readonly #list: string;
  readonly #report: ListReport;
  readonly #isTotalNamed: boolean;
  /** Whether the stated totals count the whole list; `undefined` until a page shows it. */
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

  /** The largest page to request by its number: the size at which pages are cut, if no longer page came since. */
  get max(): number {
    return this.granted > 0 && this.granted === this.#cut ? this.granted : this.largest;
  }

  /** Whether totals are known to count all rows. */
  get isTotal(): boolean {
    return this.#isTotal === true;
  }

  /** Returns a page, without its total if that may not count the whole list. */
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

  /** Notes whether the totals of the list count all of its rows. A total that the dialect names always does. */
  noteTotal(isTotal: boolean): void {
    if (this.#isTotalNamed || this.#isTotal === false) return;
    if (!isTotal) this.#report(this.#list, 'list.total');
    this.#isTotal = isTotal;
  }

  /** Notes how long a page was; a longer one than requested is a list without pages. */
  noteLength(perPage: number, { items: { length } }: PageRecord<unknown>): void {
    if (length <= perPage) this.granted = Math.max(this.granted, length);
  }

  /** Notes that rows follow a page of this length, which is shorter than requested. */
  noteCut(rows: number): void {
    if (rows !== this.#cut) this.#report(this.#list, 'list.maxPageSize', rows);
    this.granted = rows;
    this.#cut = rows;
  }

  /** Has the list read by position from now on. */
  giveUpIds(): void {
    if (this.isById !== false) this.#report(this.#list, 'list.isPagedById');
    this.isById = false;
  }

  /** Notes that the platform refuses a look-up by more ids than this. */
  noteMaxIds(maxIds: number): void {
    if (maxIds < this.maxIds) this.#report(this.#list, 'search.maxIds', maxIds);
    this.maxIds = Math.min(this.maxIds, maxIds);
  }
}

type PageQuery = Pick<ListQuery, 'pageNumber' | 'perPage'>;

/** Returns the position after the last row of a page. */
const endOf = ({ items }: PageRecord<unknown>, { pageNumber = 1, perPage }: PageQuery): number =>
  items.length + (pageNumber - 1) * perPage;

/** Returns the least number of rows that a list has, as one of its pages shows. @param granted the longest page so far. */
function rowsSeen(page: PageRecord<unknown>, query: PageQuery, granted: number): number {
  const { items } = page;
  const { pageNumber = 1, perPage } = query;
  if (items.length === 0) return 0;
  // A platform that cuts its pages starts this page earlier.
  const isPlaced = pageNumber === 1 || items.length >= perPage || perPage <= granted;
  return isPlaced ? endOf(page, query) : items.length + 1;
}

/** Whether a total that equals the rows of a page may count those rows, although the list has more. */
function isUnclear(
  { items: { length }, hasNext, isCount }: PageRecord<unknown>,
  query: PageQuery,
): boolean {
  if (query.pageNumber !== 1 || length === 0) return query.pageNumber !== 1;
  return hasNext !== false && (length >= query.perPage || isCount === true);
}

/** Paging habits of all lists, by operation and form. */
export interface Lists {
  of(operation: string, formId?: string): ListPaging;
  /** Returns the dialect with the smallest look-ups that a list has needed, for the estimate of costs. */
  dialect(): Dialect;
}

/** Creates the paging habits of all lists. They are learned from responses. */
export function createLists(dialect: Dialect, report: ListReport): Lists {
  // A list that was dropped from here shows its habits again.
  const lists = new LRUCache<string, ListPaging>({ max: 10_000 });
  let shown = dialect;
  const onReport: ListReport = (list, setting, rows) => {
    if (setting === 'search.maxIds')
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
