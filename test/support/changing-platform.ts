import { type ScriptedAnswer, type SeenRequest, scriptPlatform } from './scripted-platform.ts';

/** A row as the platform orders and shows it. */
export interface Row {
  readonly id: number;
  rank: number;
  note: number;
}

/** How the platform pages its lists, and what it says of them. */
export interface Paging {
  readonly tells: 'totals' | 'links' | 'nothing';
  /** Its pages are never longer. */
  readonly longestPage: number;
}

/** A list that a test changes while it is read. */
export class ChangingList {
  /** In the order of the platform where none is asked for. */
  rows: Row[] = [];
  #lastId = 0;

  constructor(size = 0) {
    for (let row = 0; row < size; row++) this.insert(row, row * 1_000);
  }

  insert(at: number, rank: number): void {
    this.#lastId++;
    this.rows.splice(at, 0, { id: this.#lastId, rank, note: 0 });
  }

  delete(id: number): void {
    this.rows = this.rows.filter((row) => row.id !== id);
  }

  /** The rows in an order of `rank`, as `sort` writes it. */
  sorted(sort: string | null): readonly Row[] {
    if (sort === null) return this.rows;
    const sign = sort.startsWith('-') ? -1 : 1;
    return this.rows.toSorted((one, other) => sign * (one.rank - other.rank) || one.id - other.id);
  }
}

/** A platform with one list, of instances whatever the form, and of forms. `seen` has each request but those for tokens. */
export async function startChangingPlatform({ tells, longestPage }: Paging) {
  const held = { list: new ChangingList() };
  const answer = ({ url }: SeenRequest): ScriptedAnswer => {
    const { pathname, searchParams } = new URL(url, 'http://platform');
    const size = Math.min(Number(searchParams.get('per-page')), longestPage);
    const number = Number(searchParams.get('page-number'));
    const all = held.list.sorted(searchParams.get('sort'));
    const rows = all.slice((number - 1) * size, number * size);
    const items = pathname.endsWith('/instances')
      ? rows.map(({ id, ...values }) => ({ idInstance: id, values }))
      : rows.map(({ id }) => ({ idForm: nameOf(id), name: 'A form', fields: [] }));
    if (tells === 'nothing') return { body: items };
    if (tells === 'totals') return { body: { items, total: all.length } };
    const rels = [...(number > 1 ? ['prev'] : []), ...(number * size < all.length ? ['next'] : [])];
    return { body: { items, links: ['first', ...rels].map((rel) => ({ rel, href: '/' })) } };
  };
  const platform = await scriptPlatform(answer);
  return { ...platform, held };
}

/** The id of a form; some are too long to stand in a cursor. */
export const nameOf = (id: number): string => `${'form-'.repeat(id % 3 === 0 ? 20 : 1)}${id}`;
