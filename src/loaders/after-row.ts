import { hash } from 'node:crypto';

import { type ListSlice, narrow, type OffsetRange, type PageSource, pagesCovering, readRows } from './offset-range.ts';

/** The row that a page follows, as it was when it was read. */
export interface RowPlace {
  /** Of the row and of up to three before it, the nearest first, by `nameOf`. */
  readonly names: readonly string[];
  readonly position: number;
  /** How many rows the list had, where the platform said so. */
  readonly total?: number | undefined;
}

/** How many calls more than by its position alone the rows after another one may take. */
export const MAX_FURTHER_CALLS = 3;

/** Names a row by its id, or by a hash of an id that a cursor could not hold. */
export const nameOf = (id: string): string => (/^[\w.-]{1,40}$/.test(id) ? id : hash('sha256', id, 'base64url'));

/**
 * Reads the rows after another one, and its place with them. If it is not there, its names are looked for in what was read, then
 * in a window towards the front, then in one behind, as long as the platform's longest page. If none is found, the rows begin
 * earlier: by as many as the list has lost, and by `count` at least.
 */
export async function readAfter<T>(after: RowPlace, count: number, source: PageSource<T>): Promise<ListSlice<T>> {
  const { names, position, total = 0 } = after;
  const found = new FoundRows(names, source);
  const next = { offset: position + 1, count, total };
  // The row before it as well: a row that moved may stand where it stood, with others in front that nobody has seen.
  const place = names.slice(0, position === 0 ? 1 : 2);
  const withPlace = {
    offset: next.offset - place.length,
    count: count + place.length,
    // Who reads on was told that there is a next row.
    total: Math.max(total, position + 2),
  };
  const admitted = found.callsFor(next);
  if (!(await found.read(withPlace, admitted))) await found.read(next, admitted);
  const isUnmoved = place.every((name, index) => found.nameAt(position - index) === name);
  return isUnmoved ? narrow(found.slice, next) : readMoved(after, count, found);
}

/** Reads the rows after one that is not where it was. */
async function readMoved<T>(
  { names, position, total = 0 }: RowPlace,
  count: number,
  found: FoundRows<T>,
): Promise<ListSlice<T>> {
  const lost = Math.max(0, total - (found.slice.total ?? total));
  const window = found.maxPageSize;
  // One of several may have moved by itself, while the others stand where the page ended.
  const enough = Math.min(2, names.length);
  let positions = found.positions();
  while (countTogether(positions) < enough && lost < window) {
    if (!(await found.widen(position + 1 - window, position + window))) break;
    positions = found.positions();
  }
  const [first] = positions;
  const together = countTogether(positions);
  const begin = first === undefined ? Math.max(0, position + 1 - Math.max(lost, count)) : first + together;
  if (begin < found.slice.offset) await found.read({ offset: begin, count });
  while (await found.widen(found.slice.offset, begin + count));

  // A page without rows would have no cursor to go on from.
  const { offset: front, rows, hasNext } = found.slice;
  const offset = Math.max(front, Math.min(begin, front + rows.length - Number(hasNext)));
  const slice = narrow(found.slice, { offset, count });
  const isFound = together >= enough && together === positions.length && offset === begin;
  return { ...slice, isGuessed: !isFound || slice.rows.some((row) => found.isNamed(row)) };
}

/** How many of these positions follow one another from the first one on. */
const countTogether = (positions: readonly number[]): number =>
  positions.filter((at, index) => at === Number(positions[0]) + index).length;

/** The rows that were read to find those of these names. */
class FoundRows<T> {
  slice: ListSlice<T> = { offset: 0, rows: [], hasNext: false };
  readonly #names: readonly string[];
  readonly #source: PageSource<T>;
  #furtherCalls = MAX_FURTHER_CALLS;

  constructor(names: readonly string[], source: PageSource<T>) {
    this.#names = names;
    this.#source = source;
  }

  get maxPageSize(): number {
    return this.#source.pageSizes.max(this.#source.operation);
  }

  callsFor(range: OffsetRange): number {
    return pagesCovering(range, this.maxPageSize).numbers.length;
  }

  isNamed(row: T): boolean {
    return this.#names.includes(nameOf(this.#source.idOf(row)));
  }

  nameAt(position: number): string | undefined {
    const row = this.slice.rows[position - this.slice.offset];
    return row === undefined ? undefined : nameOf(this.#source.idOf(row));
  }

  /** The positions of the rows with the names. */
  positions(): readonly number[] {
    const { rows, offset } = this.slice;
    return rows.flatMap((row, index) => (this.isNamed(row) ? [offset + index] : []));
  }

  /** Reads a range, where there is room for the calls that it takes beyond the admitted ones. */
  async read(range: OffsetRange, admitted = 0): Promise<boolean> {
    const calls = this.callsFor(range) - admitted;
    if (calls > this.#furtherCalls || !this.#source.spare.takeSpareCalls(calls)) return false;
    this.#furtherCalls -= calls;
    this.slice = await readRows(range, this.#source);
    return true;
  }

  /** Reads a page more towards these positions; `false` where they are known, or there is no room for it. */
  async widen(front: number, behind: number): Promise<boolean> {
    const before = this.slice;
    const end = before.offset + before.rows.length;
    const isFront = before.offset > Math.max(0, front);
    if (!isFront && (end >= behind || !before.hasNext)) return false;
    if (!(await this.read(pageWith(isFront ? before.offset - 1 : end, this.maxPageSize, isFront)))) return false;
    this.slice = isFront ? join(this.slice, before) : join(before, this.slice);
    return true;
  }
}

/** Gives the range of the page with a row that reaches furthest to the front, or behind, and is the shortest of those. */
function pageWith(row: number, maxPageSize: number, isFront: boolean): OffsetRange {
  let best = { offset: row, count: 1 };
  for (let count = 2; count <= maxPageSize; count++) {
    const offset = row - (row % count);
    const isFurther = isFront ? offset < best.offset : offset + count > best.offset + best.count;
    if (isFurther) best = { offset, count };
  }
  return best;
}

/** Joins rows to those that follow or overlap them; these are left out where the list has ended before them. */
function join<T>(front: ListSlice<T>, behind: ListSlice<T>): ListSlice<T> {
  const length = behind.offset - front.offset;
  if (length <= 0) return behind;
  if (front.rows.length < length) return front;
  return { ...behind, offset: front.offset, rows: [...front.rows.slice(0, length), ...behind.rows] };
}
