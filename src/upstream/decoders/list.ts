import type { Dialect } from '../dialect.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { PageRecord } from '../records.ts';
import type { Answer } from './answer.ts';
import { linksOf, pickOffer } from './links.ts';
import { due, dueObject, pick, pickArray, pickObject } from './members.ts';

const PAGING: ReadonlySet<string> = new Set(['next', 'prev', 'previous', 'first', 'last']);

/**
 * Decodes one page of a collection, each item by `decodeItem`.
 *
 * A bare array, an object with one array besides its links, or a member under one of the known names, also embedded.
 */
export function decodeList<T>(
  { body, headers }: Answer,
  dialect: Dialect,
  decodeItem: (item: Json) => T,
): PageRecord<T> {
  if (Array.isArray(body)) return { items: body.map(decodeItem), ...paging({}, dialect, headers.link) };
  const object = dueObject(body, 'list');
  const items = due(itemsOf(object, dialect), 'list');
  return { items: items.map(decodeItem), ...paging(object, dialect, headers.link) };
}

function itemsOf(object: JsonObject, dialect: Dialect): readonly Json[] | undefined {
  const { items, embedded } = dialect.list;
  const named = pickArray(object, items);
  if (named !== undefined) return named;

  const inner = pickObject(object, embedded);
  if (inner !== undefined) return itemsOf(inner, dialect);
  return onlyArray(object, dialect);
}

/** Gives the one array that an object has besides its links; `undefined` when it has none, or several. */
export function onlyArray(object: JsonObject, dialect: Dialect): readonly Json[] | undefined {
  const arrays = Object.entries(object).filter(
    ([name, value]) => Array.isArray(value) && !dialect.links.list.includes(name),
  );
  const [only, ...others] = arrays.map(([, value]) => value as readonly Json[]);
  return others.length === 0 ? only : undefined;
}

function paging(object: JsonObject, dialect: Dialect, linkHeader: string | undefined) {
  const { total, page } = dialect.list;
  const counted = pick(object, total) ?? pick(pickObject(object, page) ?? {}, total);
  const isCount = typeof counted === 'number' && Number.isSafeInteger(counted) && counted >= 0;

  const links = linksOf(pickOffer(object, dialect, linkHeader), dialect);
  return {
    total: isCount ? counted : undefined,
    // A list without such a link may simply not link its pages; one with some and no `next` has come to its end.
    hasNext: links.some(({ rel }) => PAGING.has(rel)) ? links.some(({ rel }) => rel === 'next') : undefined,
  };
}

/** Whether a JSON value is a sequence of name and value, such as `[{"name": "amount", "value": 3}]`. */
export function isSequence(value: Json | undefined, dialect: Dialect): value is readonly JsonObject[] {
  return (
    Array.isArray(value) &&
    value.every((entry) => isJsonObject(entry) && Object.hasOwn(entry, dialect.instance.entryName))
  );
}
