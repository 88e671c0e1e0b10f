import { LRUCache } from 'lru-cache';

import { type Dialect, maxPageSizeOf } from './dialect.ts';
import type { PageRecord } from './records.ts';

/** Told once of what a list, that of a form or `forms`, shows that the dialect should say; `rows` is its maximum page size. */
export type ListReport = (list: string, setting: 'list.maxPageSize' | 'list.isPagedById', rows?: number) => void;

/**
 * What is known of the pages of one list, for all callers: the interface does not tell how long they may be, a platform may give
 * fewer rows than requested without a word, and it may ignore or refuse the order of ids.
 */
export class ListPaging {
  /** The largest page that may be requested. */
  readonly largest: number;
  /** The longest page that came, or that the dialect names: one of that size or a smaller one is not cut. */
  granted: number;
  /** Whether rows are found by the id before them; `undefined` until it has shown. */
  isById: boolean | undefined;
  /** Whether the platform takes the order of ids; `undefined` until it has shown. */
  takesOrder: boolean | undefined;
  readonly #list: string;
  readonly #report: ListReport | undefined;
  #cut = 0;

  constructor(list: string, dialect: Dialect, report?: ListReport) {
    this.largest = maxPageSizeOf(dialect);
    this.granted = dialect.list.maxPageSize ?? 0;
    this.isById = dialect.list.isPagedById;
    this.#list = list;
    this.#report = report;
  }

  /** The largest page that is worth requesting by its number: where one was cut, and none was longer since, that one. */
  get max(): number {
    return this.granted > 0 && this.granted === this.#cut ? this.granted : this.largest;
  }

  /** Notes how long a page was; a longer one than requested is a list without pages. */
  noteLength(perPage: number, { items: { length } }: PageRecord<unknown>): void {
    if (length <= perPage) this.granted = Math.max(this.granted, length);
  }

  /** Notes that rows follow a page of this length, which is shorter than requested. */
  noteCut(rows: number): void {
    if (rows !== this.#cut) this.#report?.(this.#list, 'list.maxPageSize', rows);
    this.granted = rows;
    this.#cut = rows;
  }

  /** Has the list read by position from now on. */
  giveUpIds(): void {
    if (this.isById !== false) this.#report?.(this.#list, 'list.isPagedById');
    this.isById = false;
  }
}

export type Lists = ReturnType<typeof createLists>;

/** What is known of each list: that of the forms, and of the instances of a form. */
export function createLists(dialect: Dialect, report?: ListReport) {
  const create = (list: string) => new ListPaging(list, dialect, report);
  // One that is forgotten shows the same again.
  const ofForm = new LRUCache<string, ListPaging>({ max: 10_000, memoMethod: create });
  return { forms: create('forms'), instances: (formId: string) => ofForm.memo(formId) };
}
