import { createHash } from 'node:crypto';

import type { RuleKey } from '../upstream/records.ts';

/** What a form is called in the graph. */
export interface FormNames {
  /** Its object type, such as `PurchaseRequest`. */
  readonly type: string;
  /** `Query`'s field for one instance, such as `purchaseRequest`. */
  readonly one: string;
  /** `Query`'s field for a list of them, such as `purchaseRequests`. */
  readonly many: string;
}

/**
 * Gives the names of a form by its id alone, so that they are the same wherever and whenever they are given, whatever other
 * forms there are.
 *
 * Every name without a mark belongs to one id: lower-case words joined by hyphens (`purchase-request`) or by underscores
 * (`purchase_request`, which is `Purchase_request`), or capitals (`FORM7`). An id of another style, or whose name is not
 * free, has a mark.
 *
 * @param isReserved tells the names that the rest of the graph has.
 */
export function nameForm(formId: string, isReserved: (name: string) => boolean): FormNames {
  const bare = bareName(formId);
  const isFree = bare !== undefined && !isReserved(bare) && !isDerived(bare);
  return namesOfType(isFree ? bare : mark(toPascal(['Form', ...wordsOf(formId)].slice(startOf(formId))), formId));
}

/** Gives the other names that follow from a type's name. */
export function namesOfType(type: string): FormNames {
  const [stem, marked] = splitMark(type);
  const word = HAS_LOWER_CASE.test(stem) ? uncapitalize(stem) : stem;
  const isPlural = word.endsWith('s');
  return { type, one: `${word}${isPlural ? 'Instance' : ''}${marked}`, many: `${pluralOf(word)}${marked}` };
}

/** Whether a name ends as those do that are made of other types' names. */
export const isDerived = (name: string): boolean =>
  /(Connection|Edge|Input|Payload|Instances?|Where|OrderBy|Values)$/.test(name);

const KEBAB = /^[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*$/;
const SNAKE = /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/;
const CAPITALS = /^[A-Z][A-Z0-9]+$/;
const HAS_LOWER_CASE = /[a-z]/;

/** The name that belongs to this id and to no other, if it has one. */
export function bareName(formId: string): string | undefined {
  if (CAPITALS.test(formId)) return formId;
  if (SNAKE.test(formId)) return isMarked(formId) ? undefined : capitalize(formId);
  if (!KEBAB.test(formId)) return undefined;
  const name = toPascal(formId.split('-'));
  // A name in capitals belongs to the id in capitals.
  return HAS_LOWER_CASE.test(name) ? name : undefined;
}

/** A type's name starts with a letter. */
const startOf = (formId: string): number => (/^[A-Za-z]/.test(wordsOf(formId)[0] ?? '') ? 1 : 0);

/** No two words have one plural, each ends in `s`, and no word has a plural that ends in `Instance`. */
function pluralOf(word: string): string {
  // English would give these the plural of another word: `movie` that of `movy`, `cache` that of `cach`.
  if (/(s|[^aeiou]ie|xe|ze|che|she)$/i.test(word)) return `${word}Instances`;
  if (/[^aeiou\d_]y$/i.test(word)) return `${word.slice(0, -1)}ies`;
  return /(x|z|ch|sh)$/i.test(word) ? `${word}es` : `${word}s`;
}

/**
 * Names a rule by its id alone: the rule `approval-level`, `1.0` is `ApprovalLevelV1_0`. Every name without a mark belongs to
 * one rule: its component is one that a form's name would say without a mark, and its version has digits and dots alone.
 */
export function nameRule({ component, version }: RuleKey): string {
  const bare = bareName(component);
  const name = `${bare}V${version.replaceAll('.', '_')}`;
  if (bare !== undefined && /^\d+(\.\d+)*$/.test(version) && !isMarked(name)) return name;
  return mark(`${toPascal(wordsOf(component))}V${wordsOf(version).join('_')}`, component, version);
}

/** Fields that every instance has, and arguments that stand beside the values. */
const OWN: readonly string[] = ['id', 'formId', 'instanceId', 'form', 'values', 'value', 'reference', 'links', 'can'];

/**
 * Names the fields of a form, by the names that the platform has for them; `own` are names that stand beside them. A name
 * that GraphQL can say stays as it is; another one is joined of its words (`needed by` is `neededBy`), with a mark where
 * that name is taken.
 */
export function nameFields(fields: readonly string[], own = OWN): ReadonlyMap<string, string> {
  const names = new Map(fields.filter((field) => isPlain(field, own)).map((field) => [field, field]));
  const taken = new Set(names.values());
  for (const field of fields.filter((candidate) => !names.has(candidate))) {
    const name = otherName(field, own);
    const free = taken.has(name) || isMarked(name) ? mark(name, field) : name;
    names.set(field, free);
    taken.add(free);
  }
  return names;
}

/** Whether a name may stand for a field of an instance. */
export const isFieldName = (name: string): boolean => isLegal(name) && !isOwn(name, OWN);

// GraphQL keeps inputs in plain objects, and would find there what all of these have.
const isOwn = (name: string, own: readonly string[]): boolean => own.includes(name) || name in Object.prototype;

const isLegal = (name: string): boolean => /^(?!__)[A-Za-z_][A-Za-z0-9_]*$/.test(name);
const isPlain = (field: string, own: readonly string[]): boolean =>
  isLegal(field) && !isOwn(field, own) && !field.endsWith('_') && !isMarked(field);

function otherName(field: string, own: readonly string[]): string {
  if (isOwn(field, own) && isLegal(field)) return `${field}_`;
  const words = wordsOf(field);
  const name = uncapitalize(toPascal(/^[A-Za-z]/.test(words[0] ?? '') ? words : ['field', ...words]));
  return isOwn(name, own) ? `${name}_` : name;
}

/** Names the enums of a form's choices, by the fields' names in the graph. Each is the type's name, `_` and the field's. */
export function nameEnums(type: string, fields: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const field of fields) {
    const name = `${type}_${capitalize(toPascal(wordsOf(field))) || 'Field'}`;
    const free = taken.has(name) ? mark(name, field) : name;
    names.set(field, free);
    taken.add(free);
  }
  return names;
}

/** Names the values of an enum, in capitals (`in progress` is `IN_PROGRESS`); equal ones get a mark but the first. */
export function nameChoices(values: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const value of new Set(values)) {
    const word = wordsOf(value.replace(/([a-z0-9])([A-Z])/g, '$1 $2'))
      .join('_')
      .toUpperCase();
    const name = word === '' ? 'VALUE' : word.replace(/^(?=\d)/, '_');
    const free = word === '' || taken.has(name) ? mark(name, value) : name;
    names.set(value, free);
    taken.add(free);
  }
  return names;
}

/** Splits a text into words of ASCII letters and digits. Accents fall off their letters; other scripts are left out. */
export function wordsOf(text: string): readonly string[] {
  // Most names are one word, and large platforms have tens of thousands of them.
  if (ONE_WORD.test(text)) return [text];
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
}

const ONE_WORD = /^[A-Za-z0-9]+$/;

/** Joins words as `PascalCase`, leaving capitals as they are. */
export const toPascal = (words: readonly string[]): string => words.map(capitalize).join('');

export const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
export const uncapitalize = (word: string): string => word.charAt(0).toLowerCase() + word.slice(1);

/**
 * Marks a name by a hash of what it is the name of. No name that is given without a mark looks like one that has it, so that
 * a marked name meets no other.
 */
export function mark(name: string, ...of: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(of)).digest('hex');
  return `${name}_${hash.slice(0, MARK_LENGTH)}`;
}

const MARK_LENGTH = 8;
const MARKED = /^(.+)(_[0-9a-f]{8})$/;

/** Whether a name looks like a marked one. */
export const isMarked = (name: string): boolean => MARKED.test(name);

/** Splits a name from its mark, which is empty where there is none. */
export function splitMark(name: string): readonly [stem: string, mark: string] {
  const [, stem = name, marked = ''] = MARKED.exec(name) ?? [];
  return [stem, marked];
}
