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
  const { operation, pageSizes, spare, idOf } = source;
  const callsFor = (range: OffsetRange) => pagesCovering(range, pageSizes.max(operation)).numbers.length;
  let left = MAX_FURTHER_CALLS;
  let known: ListSlice<T> = { offset: 0, rows: [], hasNext: false };

  /** Reads a range, where there is room for the calls that it takes beyond the admitted ones. */
  const read = async (range: OffsetRange, admitted = 0): Promise<boolean> => {
    const calls = callsFor(range) - admitted;
    if (calls > left || !spare.takeSpareCalls(calls)) return false;
    left -= calls;
    known = await readRows(range, source);
    return true;
  };
  /** Reads a page more towards these positions; `false` where they are known, or there is no room for it. */
  const widen = async (front: number, behind: number): Promise<boolean> => {
    const before = known;
    const end = before.offset + before.rows.length;
    const isFront = before.offset > Math.max(0, front);
    if (!isFront && (end >= behind || !before.hasNext)) return false;
    if (!(await read(pageWith(isFront ? before.offset - 1 : end, pageSizes.max(operation), isFront)))) return false;
    known = isFront ? join(known, before) : join(before, known);
    return true;
  };
  const isNamed = (row: T) => names.includes(nameOf(idOf(row)));
  const find = () => known.rows.flatMap((row, index) => (isNamed(row) ? [known.offset + index] : []));

  const next = { offset: position + 1, count, total };
  // The row before it as well: a row that moved may stand where it stood, with others in front that nobody has seen.
  const place = names.slice(0, position === 0 ? 1 : 2);
  const begins = position + 1 - place.length;
  // Who reads on was told that there is a next row.
  const withPlace = { offset: begins, count: count + place.length, total: Math.max(total, position + 2) };
  if (!(await read(withPlace, callsFor(next)))) await read(next, callsFor(next));
  const isAt = (name: string, index: number) => {
    const row = known.rows[position - index - known.offset];
    return row !== undefined && nameOf(idOf(row)) === name;
  };
  if (place.every(isAt)) return narrow(known, next);

  const lost = Math.max(0, total - (known.total ?? total));
  const window = pageSizes.max(operation);
  // One of several may have moved by itself, while the others stand where the page ended.
  const enough = Math.min(2, names.length);
  let found = find();
  const together = () => found.filter((at, index) => at === Number(found[0]) + index).length;
  while (together() < enough && lost < window && (await widen(position + 1 - window, position + window))) {
    found = find();
  }
  const [first] = found;
  const begin = first === undefined ? Math.max(0, position + 1 - Math.max(lost, count)) : first + together();
  if (begin < known.offset) await read({ offset: begin, count });
  while (await widen(known.offset, begin + count));
  // A page without rows would have no cursor to go on from.
  const last = known.offset + known.rows.length - Number(known.hasNext);
  const offset = Math.max(known.offset, Math.min(begin, last));
  const slice = narrow(known, { offset, count });
  const isFound = together() >= enough && together() === found.length && offset === begin;
  return { ...slice, isGuessed: !isFound || slice.rows.some(isNamed) };
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
