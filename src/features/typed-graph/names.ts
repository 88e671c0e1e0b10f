import { createHash } from 'node:crypto';

import type { FieldRecord } from '../../upstream/records.ts';

/** Fields that every instance has, and arguments that stand beside the values. */
const OWN: readonly string[] = ['id', 'formId', 'instanceId', 'form', 'values', 'value', 'reference', 'links', 'can'];

interface FieldNaming {
  /** Aliases, by the platform's names. */
  readonly chosen?: ReadonlyMap<string, string> | undefined;
  /** Names that stand beside them. */
  readonly own?: readonly string[];
}

/**
 * Names the fields of a form, by the platform's names: by the words of these (`Needed by` is `neededBy`), or of their labels
 * where they have none. Several that would have one name get suffixes; what every instance has gets an underscore.
 */
export function nameFields(
  fields: readonly Pick<FieldRecord, 'name' | 'label'>[],
  { chosen, own = OWN }: FieldNaming = {},
) {
  const natural = fields
    .filter(({ name }) => !chosen?.has(name))
    .map(({ name, label }) => [name, fieldName(name, label)] as const);
  const twice = repeated([...natural.map(([, name]) => name), ...(chosen?.values() ?? [])]);
  const named = natural.map(([field, name]) => {
    if (twice.has(name)) return [field, addSuffix(name, field)] as const;
    return [field, isOwn(name, own) ? `${name}_` : name] as const;
  });
  return new Map([...(chosen ?? []), ...named]);
}

const fieldName = (name: string, label: string | undefined): string =>
  uncapitalize(toPascal(firstWords(name, label), 'Field'));

/** Whether a name may stand for a field of an instance. */
export const isFieldName = (name: string): boolean => isLegal(name) && !isOwn(name, OWN);

// GraphQL keeps inputs in plain objects, and would find there what all of these have.
const isOwn = (name: string, own: readonly string[]): boolean => own.includes(name) || name in Object.prototype;

const isLegal = (name: string): boolean => /^(?!__)[A-Za-z_][A-Za-z0-9_]*$/.test(name);

/** One of the values to choose from, as a text. */
interface Choice {
  readonly text: string;
  readonly label?: string | undefined;
}

/**
 * Names the values of an enum, by their texts: in capitals (`in progress` is `IN_PROGRESS`), by their labels where they have
 * no words. Several that would have one name get suffixes.
 */
export function nameChoices(choices: readonly Choice[]): ReadonlyMap<string, string> {
  const byText = new Map(choices.map(({ text, label }) => [text, choiceName(text, label)]));
  const twice = repeated(byText.values());
  return new Map(
    [...byText].map(([text, name]) => [text, twice.has(name) || name === '' ? addSuffix(name || 'VALUE', text) : name]),
  );
}

const choiceName = (text: string, label: string | undefined): string =>
  firstWords(text, label)
    .join('_')
    .toUpperCase()
    .replace(/^(?=\d)/, '_');

/** The words of a field's name, as they stand at the end of another name. */
export const toSuffix = (name: string): string => toPascal(wordsOf(name), 'Field');

/**
 * Splits a text into words of ASCII letters and digits, at whatever is neither and where capitals begin: `HR.Leave`,
 * `salesOrder`, `FRM_001`. Accents fall off their letters; other scripts are left out.
 */
export function wordsOf(text: string): readonly string[] {
  // Most names are one word, and large platforms have tens of thousands of them.
  if (ONE_WORD.test(text)) return [text];
  return text
    .replace(/[ßæœøđðłþı]/gi, (letter) => LETTERS[letter.toLowerCase()] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
    .filter((word) => word !== '');
}

const ONE_WORD = /^[a-z0-9]+$/;

/** Letters that have no accent to lose. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o' },
  ...{ đ: 'd', ð: 'd', ł: 'l', þ: 'th', ı: 'i' },
};

/**
 * Gives the words of the first text that has any: an id that is a number or a UUID has none. The last one's are taken
 * whatever they are.
 */
export function firstWords(...texts: readonly (string | undefined)[]): readonly string[] {
  const given = texts.filter((text) => text !== undefined);
  return wordsOf(given.find(hasWords) ?? given.at(0) ?? '');
}

const hasWords = (text: string): boolean => !UUID.test(text) && wordsOf(text).some((word) => /[A-Za-z]/.test(word));

const UUID = /^\{?[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}\}?$/i;

/** Joins words as `PascalCase`; `before` goes first where they are none, or begin with a digit. */
export function toPascal(words: readonly string[], before: string): string {
  const all = /^[A-Za-z]/.test(words[0] ?? '') ? words : [before, ...words];
  return all.map((word) => capitalize(word.toLowerCase())).join('');
}

export const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Puts the capitals that a name begins with in lower case, but the one that begins its next word. */
export const uncapitalize = (name: string): string =>
  name.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (capitals) => capitals.toLowerCase());

/** Marks a name by a hash of what it is the name of. */
export function addSuffix(name: string, ...of: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(of)).digest('hex');
  return `${name}_${hash.slice(0, MARK_LENGTH)}`;
}

const MARK_LENGTH = 8;

/** The texts that occur more than once. */
export function repeated(texts: Iterable<string>): ReadonlySet<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const text of texts) (seen.has(text) ? twice : seen).add(text);
  return twice;
}
