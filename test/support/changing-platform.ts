import { orUndefined } from '../../src/core/errors.ts';
import { type ScriptedAnswer, type SeenRequest, scriptPlatform } from './scripted-platform.ts';

/** A row as the platform orders and shows it. */
export interface Row {
  readonly id: number;
  rank: number;
  note: number;
}

/** How the platform pages its lists and describes them. */
export interface Paging {
  readonly tells: 'totals' | 'links' | 'nothing';
  /** Its pages are never longer. */
  readonly longestPage: number;
  /** How it treats sorting by id and conditions on the id. By default it applies both. */
  readonly sort?: Heed;
  readonly criterion?: Heed;
}

type Heed = 'ignores' | 'refuses' | undefined;

/** A list that a test changes while it is read. */
export class ChangingList {
  /** The rows in the platform's own order. */
  rows: Row[] = [];
  #lastId = 0;

  constructor(size = 0) {
    for (let row = 0; row < size; row++) this.insert(row, row * 1_000);
  }

  /** Inserts a row, with an id of its own or the next one. */
  insert(at: number, rank: number, id = this.#lastId + 1): void {
    this.#lastId = Math.max(this.#lastId, id);
    this.rows.splice(at, 0, { id, rank, note: 0 });
  }

  delete(id: number): void {
    this.rows = this.rows.filter((row) => row.id !== id);
  }

  /** The rows that meet conditions, in an order, as `search` and `sort` write them. */
  select(search: string | null, sort: string | null): readonly Row[] {
    const criteria = (search ?? '').split(',').filter((criterion) => criterion !== '');
    const found = this.rows.filter((row) => criteria.every((criterion) => meets(row, criterion)));
    if (sort === null) return found;
    const sign = sort.startsWith('-') ? -1 : 1;
    const key = sort.endsWith('rank') ? 'rank' : 'id';
    return found.toSorted((one, other) => sign * (one[key] - other[key]) || one.id - other.id);
  }
}

function meets({ id, note }: Row, criterion: string): boolean {
  const [, field, operator, text] = /^(idInstance|note)=(eq|gt|lt):(-?\d+)$/.exec(criterion) ?? [];
  if (field === undefined)
    throw new Error(`This platform does not know the criterion ${criterion}.`);
  const value = field === 'note' ? note : id;
  return operator === 'eq'
    ? value === Number(text)
    : operator === 'gt'
      ? value > Number(text)
      : value < Number(text);
}

/**
 * A platform with one list, of instances whatever the form, and of forms. `seen` has each request
 * but those for tokens.
 */
export async function startChangingPlatform({ tells, longestPage, sort, criterion }: Paging) {
  const held = { list: new ChangingList(), onCall: () => {} };
  const select = (search: string | null, order: string | null): readonly Row[] => {
    if ((order && sort === 'refuses') || (search && criterion === 'refuses'))
      throw new Error('This is refused.');
    return held.list.select(
      criterion === 'ignores' ? null : search,
      sort === 'ignores' ? null : order,
    );
  };
  const answer = ({ url }: SeenRequest): ScriptedAnswer => {
    held.onCall();
    const { pathname, searchParams } = new URL(url, 'http://platform');
    const size = Math.min(Number(searchParams.get('per-page')), longestPage);
    const number = Math.max(1, Number(searchParams.get('page-number')));
    const all = orUndefined(() => select(searchParams.get('search'), searchParams.get('sort')));
    if (all === undefined) return { status: 400, body: { errorCode: 'INVALID_QUERY' } };
    const rows = all.slice((number - 1) * size, number * size);
    const items = pathname.endsWith('/instances')
      ? rows.map(({ id, ...values }) => ({ idInstance: id, values }))
      : rows.map(({ id }) => ({ idForm: nameOf(id), name: 'A form', fields: [] }));
    if (tells === 'nothing') return { body: items };
    if (tells === 'totals') return { body: { items, total: all.length } };
    const rels = [...(number > 1 ? ['prev'] : []), ...(number * size < all.length ? ['next'] : [])];
    return { body: { items, links: ['first', ...rels].map((rel) => ({ rel, href: '/' })) } };
  };
  const platform = await scriptPlatform((request) => {
    const [, idForm] = /\/forms\/([^/]+)$/.exec(request.url) ?? [];
    if (idForm === undefined) return answer(request);
    return { body: { idForm, fields: [{ name: 'note', type: 'integer' }] } };
  });
  return { ...platform, held };
}

/** The id of a form; some are long. */
export const nameOf = (id: number): string => `${'form-'.repeat(id % 3 === 0 ? 20 : 1)}${id}`;
