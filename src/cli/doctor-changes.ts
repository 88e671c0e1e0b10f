import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { Dialect } from '../upstream/dialect.ts';
import { isInt64 } from '../upstream/path.ts';
import type { FieldKind } from '../upstream/records.ts';
import { merge } from './doctor-check.ts';

type IsWanted = (value: Json) => boolean;

const isText: IsWanted = (value) => typeof value === 'string';
const isScalar: IsWanted = (value) => isText(value) || typeof value === 'number';
const isHolder: IsWanted = (value) => typeof value === 'object' && value !== null;

/**
 * The members of the dialect that are lists of names. Each has a check for the values that a member
 * of this name has.
 */
const PLACES = {
  envelope: isHolder,
  'error.message': (value) => isText(value) && String(value).includes(' '),
  'form.fieldMultiple': (value) => typeof value === 'boolean',
  'form.fieldName': isText,
  'form.fieldOptions': (value) => Array.isArray(value) && value.length > 0,
  'form.fieldReference': isHolder,
  'form.fieldType': isText,
  'form.fields': Array.isArray,
  'form.id': isScalar,
  'form.optionValue': isScalar,
  'instance.id': (value) => isScalar(value) && isInt64(String(value)),
  'instance.values': isHolder,
  'list.embedded': isHolder,
  'list.items': Array.isArray,
  'list.page': isHolder,
  'list.total': (value) => /^\d+$/.test(String(value)),
} as const satisfies Readonly<Record<string, IsWanted>>;

type Place = keyof typeof PLACES;

/** The maximum number of changes that are tried at a time. */
const MAX_CHANGES = 2_000;
const MAX_DEPTH = 4;

/** Returns the changes that set one or more places to names of members of the objects. */
export function combine(
  objects: readonly JsonObject[],
  places: readonly Place[],
  dialect: Dialect,
) {
  return product(...places.map((place) => naming(place, namesIn(objects, PLACES[place]), dialect)));
}

/**
 * Returns combinations of changes, with at most one change of each list. Returns at most
 * `MAX_CHANGES`.
 */
export function product(...lists: readonly (readonly JsonObject[])[]): readonly JsonObject[] {
  let combined: readonly JsonObject[] = [{}];
  for (const list of lists) {
    const next: JsonObject[] = [];
    for (const base of combined) {
      if (next.length >= MAX_CHANGES) break;
      const some = list.slice(0, MAX_CHANGES - next.length - 1);
      next.push(base, ...some.map((change) => merge(base, change)));
    }
    combined = next;
  }
  return combined.slice(1);
}

/** Returns changes that each put one name before the other names of a place. */
export function naming(
  place: Place,
  names: readonly string[],
  dialect: Dialect,
): readonly JsonObject[] {
  const [section = '', member] = place.split('.');
  const holder = Reflect.get(dialect, section);
  const known: readonly string[] = (member === undefined ? holder : holder[member]) ?? [];
  return names.map((name) => {
    const ordered = [name, ...known.filter((one) => one !== name)];
    return { [section]: member === undefined ? ordered : { [member]: ordered } };
  });
}

/** Returns the names of the members that have a wanted value in at least one object. */
export const namesIn = (objects: readonly JsonObject[], isWanted: IsWanted): readonly string[] => [
  ...new Set(
    objects.flatMap((object) =>
      Object.keys(object).filter((name) => isWanted(object[name] ?? null)),
    ),
  ),
];

/** Returns the objects in a value, including the value itself. */
export function objectsIn(value: Json | undefined, depth = 0): readonly JsonObject[] {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  const inner = Object.values(value).flatMap((member: Json) => objectsIn(member, depth + 1));
  return isJsonObject(value) ? [value, ...inner] : inner;
}

/** Returns the change that assigns a platform's type name to another kind. */
export function retype(word: string, kind: FieldKind, { form: { types } }: Dialect): JsonObject {
  const lower = word.toLowerCase();
  const before = Object.entries(types).filter(([, words]) => words.includes(lower));
  const removed = before.map(([name, words]) => [name, words.filter((one) => one !== lower)]);
  return { form: { types: { ...Object.fromEntries(removed), [kind]: [word, ...types[kind]] } } };
}

/** A match must have at least this many letters. Shorter parts of a word are no hint. */
const MIN_PART = 4;

/**
 * Returns the kinds that an unknown type name resembles, the likeliest first: `glide_date_time`
 * resembles `datetime`. If all values are text with words, `text` is added.
 */
export function likelyKinds(
  word: string,
  values: readonly Json[],
  { form: { types } }: Dialect,
): readonly FieldKind[] {
  const filled = values.filter((value) => value !== null && value !== '');
  if (filled.length === 0) return [];
  const letters = word.toLowerCase().replaceAll(/[^a-z]/g, '');
  const likeness = (known: string): number => {
    let length = 0;
    while (length < known.length && letters.includes(known.slice(0, length + 1))) length++;
    return length;
  };
  const kinds = (Object.keys(types) as FieldKind[])
    .map((kind) => ({ kind, length: Math.max(...types[kind].map(likeness)) }))
    .filter(({ length }) => length >= MIN_PART)
    .reverse()
    .sort((one, other) => other.length - one.length)
    .map(({ kind }) => kind);
  const hasWords = filled.every(isText) && filled.some((value) => /^\p{L}{2}/u.test(String(value)));
  return hasWords ? [...kinds, 'text'] : kinds;
}

/** Describes a value without its data: letters and digits of texts and numbers are replaced. */
export function describeKind(value: Json): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isJsonObject(value)) return `an object of ${Object.keys(value).slice(0, 5).join(', ')}`;
  const pattern = JSON.stringify(value).replaceAll(/\p{L}/gu, 'a').replaceAll(/\d/g, '9');
  return `a ${typeof value} as ${pattern.slice(0, 40)}`;
}
