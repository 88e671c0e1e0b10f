import { createHash } from 'node:crypto';
import { z } from 'zod';

import type { FileReading } from '../../config/files.ts';
import type { ChangeMeaning } from '../../graphql/schema-metadata.ts';
import type { FieldRecord } from '../../upstream/records.ts';

/** The first word of a mutation of instances. */
export type ChangeVerb = ChangeMeaning['verb'];

/** The mutations of instances. */
export const CHANGES: readonly ChangeVerb[] = ['create', 'replace', 'update', 'delete'];

/** The names of a form in the graph. */
export interface FormNames {
  /** The object type, such as `PurchaseRequest`. */
  readonly type: string;
  /** The field of `Query` for one instance, such as `purchaseRequest`. */
  readonly one: string;
  /** The field of `Query` for a list, such as `purchaseRequests`. */
  readonly many: string;
  /** The field of `Query` that counts instances. */
  readonly counts: string;
  /** The enum of the fields by which `counts` groups. */
  readonly countField: string;
  /** The type of a page of the list. */
  readonly connection: string;
  /** The type of a row of a page. */
  readonly edge: string;
  /** The input that filters a list. */
  readonly filter: string;
  /** The input with the operators of a reference field that leads to the form. */
  readonly referenceFilter: string;
  /** The input with the conditions on the target of such a field. */
  readonly targetFilter: string;
  /** The input that orders a list. */
  readonly order: string;
  /** The enum of the fields that order a list. */
  readonly orderField: string;
  /** The input of values that a change expects. */
  readonly expected: string;
  readonly changes: Readonly<Record<ChangeVerb, ChangeNames>>;
  /** The enums of choices and their filter inputs, by the GraphQL name of the field. */
  readonly enums: ReadonlyMap<string, ChoiceNames>;
}

/** The names of the types of a choice. */
interface ChoiceNames {
  /** The enum. */
  readonly type: string;
  /** The input that filters by it. */
  readonly filter: string;
}

/** The name of a mutation, and the names of its types. */
export interface ChangeNames {
  readonly field: string;
  readonly input: string;
  readonly payload: string;
  readonly values: string;
}

/** The sources of a form's names. */
interface NamedForm {
  readonly formId: string;
  /** The display name. */
  readonly title: string | undefined;
  /** The GraphQL names of the fields that are choices. */
  readonly choices: readonly string[];
}

/** The names that the rest of the graph uses. */
interface RootNames {
  readonly types: ReadonlySet<string>;
  readonly queries: ReadonlySet<string>;
  readonly mutations: ReadonlySet<string>;
}

/** The names of the rest of the graph, and the names of fields that every instance has. */
export interface OwnNames extends RootNames {
  /** The fields that every instance has. */
  readonly fields: ReadonlySet<string>;
}

/** A form with its base names. Other names are derived from them. */
interface Stem {
  readonly form: NamedForm;
  readonly type: string;
  readonly one: string;
  readonly many: string;
  /** The derived names, by their purpose. */
  readonly derived: Map<string, string>;
}

/** The forms with their names. */
interface NamedForms {
  /** By form id. */
  readonly names: ReadonlyMap<string, FormNames>;
  /** The reasons why forms have no names, by form id. */
  readonly refused: ReadonlyMap<string, string>;
  /** All names in use. Names of mutations are written as `Mutation.name`. */
  readonly taken: Set<string>;
}

/**
 * Names forms by their aliases, by their ids, or by their titles if an id contains no words. The
 * result does not depend on the order of the forms. Names are assigned in this sequence: the rest
 * of the graph, aliases, each form's type and single field, and then the derived names. A name that
 * is in use, or that several forms claim at the same time, gets a suffix.
 */
export function nameForms(
  forms: readonly NamedForm[],
  aliases: Aliases,
  own: RootNames,
): NamedForms {
  const isOwn = ({ type, one }: Stem) => own.types.has(type) || own.queries.has(one);
  const isChosen = ({ formId }: NamedForm) => aliases.get(formId)?.name !== undefined;
  const toStem = (form: NamedForm) => stemOf(form, aliases.get(form.formId));

  const aliased = forms.filter(isChosen).map(toStem);
  const aliasedTwice = repeated(aliased.flatMap(claimsOf));
  const refused = new Map<string, string>();
  const chosen: Stem[] = [];
  for (const stem of aliased) {
    const isTaken = isOwn(stem) || claimsOf(stem).some((name) => aliasedTwice.has(name));
    const reason = whyRefused(stem, isTaken);
    if (reason === undefined) chosen.push(stem);
    else refused.set(stem.form.formId, reason);
  }

  const chosenNames = new Set(chosen.flatMap(claimsOf));
  const natural = forms.filter((form) => !isChosen(form)).map(toStem);
  const naturalTwice = repeated(natural.flatMap(claimsOf));
  const isTaken = (name: string) => naturalTwice.has(name) || chosenNames.has(name);
  const suffixed = natural.map((stem) => {
    const isFree = !isOwn(stem) && !claimsOf(stem).some(isTaken);
    return isFree ? stem : addSuffixToStem(stem);
  });

  const stems = [...chosen, ...suffixed];
  const taken = new Set([
    ...own.types,
    ...own.queries,
    ...[...own.mutations].map(inMutation),
    ...stems.flatMap(claimsOf),
  ]);
  settle(stems.flatMap(derivedOf), taken);
  // The names of enum filters contain the names of enums, which must be final.
  settle(stems.flatMap(filtersOf), taken);
  const names = new Map(stems.map((stem) => [stem.form.formId, toNames(stem)]));
  return { names, refused, taken };
}

function stemOf(
  form: NamedForm,
  alias: { readonly name?: string | undefined; readonly plural?: string | undefined } = {},
): Stem {
  const { formId, title } = form;
  const type = alias.name ?? toPascal(firstWords(formId, title), 'Form');
  const one = uncapitalize(type);
  return { form, type, one, many: alias.plural ?? pluralOf(one), derived: new Map() };
}

const addSuffixToStem = (stem: Stem): Stem => ({
  ...stem,
  type: addSuffix(stem.type, stem.form.formId),
  one: addSuffix(stem.one, stem.form.formId),
  many: addSuffix(stem.many, stem.form.formId),
});

const claimsOf = ({ type, one }: Stem): readonly string[] => [type, one];

function whyRefused({ type }: Stem, isTaken: boolean): string | undefined {
  const alias = `its alias ${JSON.stringify(type)}`;
  if (!/^[A-Z][A-Za-z0-9_]*$/.test(type)) return `${alias} is no type's name`;
  return isTaken ? `${alias} is not free` : undefined;
}

/**
 * Returns the English plural of a word. A word that already looks like a plural gets the ending
 * `Instances`.
 */
function pluralOf(word: string): string {
  if (/sis$/.test(word)) return `${word.slice(0, -2)}es`;
  if (/[^su]s$/.test(word)) return `${word}Instances`;
  if (/[^aeiou\d_]y$/i.test(word)) return `${word.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/i.test(word) ? `${word}es` : `${word}s`;
}

/** A name that a form claims for one of its parts. */
type NameClaim = readonly [stem: Stem, part: string, name: string];

const inMutation = (field: string): string => `Mutation.${field}`;

/** Assigns the claimed names. A name that is in use or claimed twice gets a suffix. */
function settle(claims: readonly NameClaim[], taken: Set<string>): void {
  const twice = repeated(claims.map(([, , name]) => name));
  for (const [{ form, derived }, part, name] of claims) {
    const isFree = !taken.has(name) && !twice.has(name);
    derived.set(part, isFree ? name : addSuffix(name, form.formId, part));
  }
  for (const [{ derived }, part] of claims) taken.add(partIn(derived, part));
}

const partIn = (derived: Stem['derived'], part: string): string => derived.get(part) ?? part;

/** The ends of the names of types that each form may have besides its own. */
const DERIVED_TYPES = [
  'Connection',
  'Edge',
  'FilterInput',
  'ReferenceFilterInput',
  'TargetFilterInput',
  'Order',
  'OrderField',
  'CountField',
  'ExpectedInput',
];

function derivedOf(stem: Stem): readonly NameClaim[] {
  const { form, type, one, many } = stem;
  const claims: NameClaim[] = [
    [stem, 'many', many],
    [stem, 'counts', `${one}Counts`],
  ];
  for (const end of DERIVED_TYPES) claims.push([stem, end, type + end]);
  for (const verb of CHANGES) {
    claims.push([stem, verb, inMutation(verb + type)]);
    for (const end of ['Input', 'Payload', 'Values']) {
      claims.push([stem, verb + end, capitalize(verb) + type + end]);
    }
  }
  for (const field of form.choices) {
    claims.push([stem, `enum ${field}`, type + capitalize(field.replace(/_$/, ''))]);
  }
  return claims;
}

const filtersOf = (stem: Stem): readonly NameClaim[] =>
  stem.form.choices.map((field) => [
    stem,
    `filter ${field}`,
    `${partIn(stem.derived, `enum ${field}`)}FilterInput`,
  ]);

function toNames({ form, type, one, derived }: Stem): FormNames {
  const at = (part: string) => partIn(derived, part);
  const changesOf = (verb: ChangeVerb): ChangeNames => ({
    field: at(verb).replace(inMutation(''), ''),
    input: at(`${verb}Input`),
    payload: at(`${verb}Payload`),
    values: at(`${verb}Values`),
  });
  const enums = new Map<string, ChoiceNames>();
  for (const field of form.choices) {
    enums.set(field, { type: at(`enum ${field}`), filter: at(`filter ${field}`) });
  }
  return {
    type,
    one,
    many: at('many'),
    counts: at('counts'),
    countField: at('CountField'),
    connection: at('Connection'),
    edge: at('Edge'),
    filter: at('FilterInput'),
    referenceFilter: at('ReferenceFilterInput'),
    targetFilter: at('TargetFilterInput'),
    order: at('Order'),
    orderField: at('OrderField'),
    expected: at('ExpectedInput'),
    changes: {
      create: changesOf('create'),
      replace: changesOf('replace'),
      update: changesOf('update'),
      delete: changesOf('delete'),
    },
    enums,
  };
}

/**
 * The aliases of one form: for its type, its list, and its fields by their names on the platform.
 */
export type Alias = z.output<typeof aliasSchema>;

/** Aliases by form id. */
export type Aliases = ReadonlyMap<string, Alias>;

const aliasSchema = z.strictObject({
  name: z.string().optional(),
  plural: z
    .string()
    .regex(/^[a-z][A-Za-z0-9_]*$/, 'must be a field’s name')
    .optional(),
  fields: z
    .record(z.string(), z.string())
    .prefault({})
    .transform((fields): ReadonlyMap<string, string> => new Map(Object.entries(fields))),
});

/**
 * Reads aliases from the JSON of a file: `{"form-id": {"name": "TypeName", "plural": "typeNames",
 * "fields": {"platform name": "graphName"}}}`.
 */
export function readAliases(json: unknown): FileReading<Aliases> {
  const { data, error } = z.record(z.string(), aliasSchema).safeParse(json);
  if (error) {
    const problems = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    return { problems };
  }
  return { value: new Map(Object.entries(data)) };
}

interface FieldNaming {
  /** Aliases, by the platform's names of the fields. */
  readonly chosen?: ReadonlyMap<string, string> | undefined;
  /** Names that the fields must not have. */
  readonly own?: OwnNames['fields'];
}

/**
 * Names the fields of a form, by the platform's names. A name is made of the words of the
 * platform's name (`Needed by` becomes `neededBy`), or of the label if there are no words. Equal
 * names get suffixes. A name that every instance uses gets an underscore.
 */
export function nameFields(
  fields: readonly Pick<FieldRecord, 'name' | 'label'>[],
  { chosen = new Map(), own = new Set() }: FieldNaming = {},
): Map<string, string> {
  const natural = fields
    .filter(({ name }) => !chosen.has(name))
    .map(({ name, label }) => ({ field: name, name: fieldName(name, label) }));
  const twice = repeated([...natural.map(({ name }) => name), ...chosen.values()]);

  const names = new Map(chosen);
  for (const { field, name } of natural) {
    if (twice.has(name)) names.set(field, addSuffix(name, field));
    else names.set(field, isOwn(name, own) ? `${name}_` : name);
  }
  return names;
}

const fieldName = (name: string, label: string | undefined): string =>
  uncapitalize(toPascal(firstWords(name, label), 'Field'));

/** Returns whether a name can be used for a field of an instance. */
export const isFieldName = (name: string, own: OwnNames['fields']): boolean =>
  isLegal(name) && !isOwn(name, own);

// GraphQL stores inputs in plain objects, which inherit these members.
const isOwn = (name: string, own: OwnNames['fields']): boolean =>
  own.has(name) || name in Object.prototype;

const isLegal = (name: string): boolean => /^(?!__)[A-Za-z_][A-Za-z0-9_]*$/.test(name);

/** An option of a choice, as text. */
interface Choice {
  readonly text: string;
  readonly label?: string | undefined;
}

/**
 * Names the values of an enum, by their texts. A name is made of the words in capitals (`in
 * progress` becomes `IN_PROGRESS`), or of the words of the label if the text has no words. Equal
 * names get suffixes.
 */
export function nameChoices(choices: readonly Choice[]): ReadonlyMap<string, string> {
  const byText = new Map(choices.map(({ text, label }) => [text, choiceName(text, label)]));
  const twice = repeated(byText.values());
  for (const [text, name] of byText) {
    const isFree = name !== '' && !twice.has(name);
    if (!isFree) byText.set(text, addSuffix(name || 'VALUE', text));
  }
  return byText;
}

const choiceName = (text: string, label: string | undefined): string =>
  firstWords(text, label)
    .join('_')
    .toUpperCase()
    .replace(/^(?=\d)/, '_');

/** Converts a field's name to PascalCase, to append it to another name. */
export const toSuffix = (name: string): string => toPascal(wordsOf(name), 'Field');

/**
 * Splits a text into words of ASCII letters and digits. Other characters separate words, and so do
 * capitals: `HR.Leave`, `salesOrder`, `FRM_001`. Accents are removed from letters. Other scripts
 * are left out.
 */
export function wordsOf(text: string): readonly string[] {
  // A fast path: most names are one word, and large platforms have tens of thousands of them.
  if (ONE_WORD.test(text)) return [text];
  return text
    .replace(/[ßæœøđðłþı]/gi, (letter) => LETTERS[letter.toLowerCase()] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
    .filter((word) => word !== '');
}

const ONE_WORD = /^[a-z0-9]+$/;

/** Letters that Unicode normalization does not split into a letter and an accent. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
};

/**
 * Returns the words of the first text that contains any. Numbers and UUIDs do not count as words.
 * If no text contains words, it splits the first text anyway.
 */
export function firstWords(...texts: readonly (string | undefined)[]): readonly string[] {
  const present = texts.filter((text) => text !== undefined);
  const chosen = present.find(hasWords) ?? present.at(0) ?? '';
  return wordsOf(chosen);
}

const hasWords = (text: string): boolean =>
  !UUID.test(text) && wordsOf(text).some((word) => /[A-Za-z]/.test(word));

const UUID = /^\{?[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}\}?$/i;

/**
 * Joins words to `PascalCase`. `before` is prepended if there are no words, or the first begins
 * with a digit.
 */
export function toPascal(words: readonly string[], before: string): string {
  const all = /^[A-Za-z]/.test(words[0] ?? '') ? words : [before, ...words];
  return all.map((word) => capitalize(word.toLowerCase())).join('');
}

export const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/**
 * Converts the leading capitals of a name to lower case, except the one that begins the next word.
 */
export const uncapitalize = (name: string): string =>
  name.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (capitals) => capitals.toLowerCase());

/** Appends a hash of `sources` to a name, so that equal names of different sources differ. */
export function addSuffix(name: string, ...sources: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(sources)).digest('hex');
  return `${name}_${hash.slice(0, MARK_LENGTH)}`;
}

const MARK_LENGTH = 8;

/** Returns the texts that occur more than once. */
export function repeated(texts: Iterable<string>): ReadonlySet<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const text of texts) {
    if (seen.has(text)) twice.add(text);
    seen.add(text);
  }
  return twice;
}
