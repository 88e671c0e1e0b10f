import { createHash } from 'node:crypto';
import { z } from 'zod';

import type { FileReading } from '../../config/files.ts';
import type { ChangeMeaning } from '../../graphql/schema-metadata.ts';
import type { FieldRecord } from '../../upstream/records.ts';

/** A change of instances, as the mutations for it begin. */
export type ChangeWord = ChangeMeaning['word'];

/** The mutations of instances. */
export const CHANGES: readonly ChangeWord[] = ['create', 'replace', 'update', 'delete'];

/** The names of a form in the graph. */
export type FormNames = ReturnType<typeof toNames>;

/** The name of a mutation, and of the types that belong to it. */
export interface ChangeNames {
  readonly field: string;
  readonly input: string;
  readonly payload: string;
  readonly values: string;
}

/** The words that a form's names are made of. */
interface NamedForm {
  readonly formId: string;
  /** The display name. */
  readonly title: string | undefined;
  /** The graph's names of the fields that are choices. */
  readonly choices: readonly string[];
}

/** The names that the rest of the graph has. */
export interface OwnNames {
  readonly types: ReadonlySet<string>;
  readonly queries: ReadonlySet<string>;
  readonly mutations: ReadonlySet<string>;
  /** The fields that every instance has. */
  readonly fields: ReadonlySet<string>;
}

/** A form with the names that all others derive from. */
interface Stem {
  readonly form: NamedForm;
  readonly type: string;
  readonly one: string;
  readonly many: string;
  /** The derived ones, by what they are for. */
  readonly derived: Map<string, string>;
}

/**
 * Names forms by their ids, by their titles where an id has no words, and by their aliases, in whatever order they
 * come. Claims go in this order: the rest of the graph, chosen names, each form's type and field for one instance, and what
 * derives from these. A name that is claimed before, or by several at once, gets a suffix.
 */
export function nameForms(
  forms: readonly NamedForm[],
  aliases: Aliases,
  own: Omit<OwnNames, 'fields'>,
) {
  const isOwn = ({ type, one }: Stem) => own.types.has(type) || own.queries.has(one);
  const isChosen = ({ formId }: NamedForm) => aliases.get(formId)?.name !== undefined;
  const toStem = (form: NamedForm) => stemOf(form, aliases.get(form.formId));

  const all = forms.filter(isChosen).map(toStem);
  const claimedTwice = repeated(all.flatMap(claimsOf));
  /** Why forms have no names, by their ids. */
  const refused: ReadonlyMap<string, string> = new Map(
    all.flatMap((stem) => {
      const reason = whyRefused(
        stem,
        isOwn(stem) || claimsOf(stem).some((name) => claimedTwice.has(name)),
      );
      return reason === undefined ? [] : [[stem.form.formId, reason] as const];
    }),
  );
  const chosen = all.filter(({ form }) => !refused.has(form.formId));

  const standing = new Set(chosen.flatMap(claimsOf));
  const natural = forms.filter((form) => !isChosen(form)).map(toStem);
  const twice = repeated(natural.flatMap(claimsOf));
  const suffixed = natural.map((stem) => {
    const isFree =
      !isOwn(stem) && !claimsOf(stem).some((name) => twice.has(name) || standing.has(name));
    return isFree ? stem : addSuffixToStem(stem);
  });

  const stems = [...chosen, ...suffixed];
  /** Every name that is taken now; those of mutations as `Mutation.name`. */
  const taken = new Set([
    ...own.types,
    ...own.queries,
    ...[...own.mutations].map(inMutation),
    ...stems.flatMap(claimsOf),
  ]);
  settle(stems.flatMap(derivedOf), taken);
  // Filters by enums have the enums' names in theirs, which must stand before.
  settle(stems.flatMap(filtersOf), taken);
  return { names: new Map(stems.map((stem) => [stem.form.formId, toNames(stem)])), refused, taken };
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

/** Gives a word's English plural; a word that reads like one already has `Instances` instead. */
function pluralOf(word: string): string {
  if (/sis$/.test(word)) return `${word.slice(0, -2)}es`;
  if (/[^su]s$/.test(word)) return `${word}Instances`;
  if (/[^aeiou\d_]y$/i.test(word)) return `${word.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/i.test(word) ? `${word}es` : `${word}s`;
}

/** A name that a form would have for a part of it, if it is free. */
type NameClaim = readonly [stem: Stem, part: string, name: string];

const inMutation = (field: string): string => `Mutation.${field}`;

/** Gives forms the names that they claim, with a suffix where one is taken or claimed by others as well. */
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
];

function derivedOf(stem: Stem): readonly NameClaim[] {
  const { form, type, one, many } = stem;
  const ofType = DERIVED_TYPES.map((end) => [stem, end, type + end] as const);
  const ofChanges = CHANGES.flatMap((word) => [
    [stem, word, inMutation(word + type)] as const,
    ...['Input', 'Payload', 'Values'].map(
      (end) => [stem, word + end, capitalize(word) + type + end] as const,
    ),
  ]);
  const ofChoices = form.choices.map((field) => {
    return [stem, `enum ${field}`, type + capitalize(field.replace(/_$/, ''))] as const;
  });
  return [
    [stem, 'many', many],
    [stem, 'counts', `${one}Counts`],
    ...ofType,
    ...ofChanges,
    ...ofChoices,
  ];
}

const filtersOf = (stem: Stem): readonly NameClaim[] =>
  stem.form.choices.map((field) => [
    stem,
    `filter ${field}`,
    `${partIn(stem.derived, `enum ${field}`)}FilterInput`,
  ]);

function toNames({ form, type, one, derived }: Stem) {
  const at = (part: string) => partIn(derived, part);
  const changesOf = (word: ChangeWord): ChangeNames => ({
    field: at(word).replace(inMutation(''), ''),
    input: at(`${word}Input`),
    payload: at(`${word}Payload`),
    values: at(`${word}Values`),
  });
  return {
    /** Its object type, such as `PurchaseRequest`. */
    type,
    /** `Query`'s field for one instance, such as `purchaseRequest`. */
    one,
    /** `Query`'s field for a list of them, such as `purchaseRequests`. */
    many: at('many'),
    /** `Query`'s field that counts them, and the enum of the fields by which it counts. */
    counts: at('counts'),
    countField: at('CountField'),
    connection: at('Connection'),
    edge: at('Edge'),
    /** The input that filters a list. */
    filter: at('FilterInput'),
    /** The inputs of reference fields that lead to the form: operators, and conditions on the target. */
    referenceFilter: at('ReferenceFilterInput'),
    targetFilter: at('TargetFilterInput'),
    /** The input that orders a list, and the enum of the fields that order it. */
    order: at('Order'),
    orderField: at('OrderField'),
    changes: Object.fromEntries(CHANGES.map((word) => [word, changesOf(word)])) as Record<
      ChangeWord,
      ChangeNames
    >,
    /** The enums of its choices, and the inputs that filter by them, by the fields' names in the graph. */
    enums: new Map(
      form.choices.map((field) => [
        field,
        { type: at(`enum ${field}`), filter: at(`filter ${field}`) },
      ]),
    ),
  };
}

/** The aliases of one form: of its type, of its list, and of its fields by the platform's names. */
export type Alias = z.output<typeof aliasSchema>;

/** Chosen names, by `idForm`. */
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
 * Reads chosen names from a file's JSON: `{"form-id": {"name": "TypeName", "plural": "typeNames", "fields": {"platform
 * name": "graphName"}}}`.
 */
export function readAliases(json: unknown): FileReading<Aliases> {
  const { data, error } = z.record(z.string(), aliasSchema).safeParse(json);
  if (error)
    return { problems: error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) };
  return { value: new Map(Object.entries(data)) };
}

interface FieldNaming {
  /** Aliases, by the platform's names. */
  readonly chosen?: ReadonlyMap<string, string> | undefined;
  /** Names that stand beside them. */
  readonly own?: OwnNames['fields'];
}

/**
 * Names the fields of a form, by the platform's names: by the words of these (`Needed by` is `neededBy`), or of their labels
 * where they have none. Several that would have one name get suffixes; what every instance has gets an underscore.
 */
export function nameFields(
  fields: readonly Pick<FieldRecord, 'name' | 'label'>[],
  { chosen, own = new Set() }: FieldNaming = {},
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
export const isFieldName = (name: string, own: OwnNames['fields']): boolean =>
  isLegal(name) && !isOwn(name, own);

// GraphQL keeps inputs in plain objects, and would find there what all of these have.
const isOwn = (name: string, own: OwnNames['fields']): boolean =>
  own.has(name) || name in Object.prototype;

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
    [...byText].map(([text, name]) => [
      text,
      twice.has(name) || name === '' ? addSuffix(name || 'VALUE', text) : name,
    ]),
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

const hasWords = (text: string): boolean =>
  !UUID.test(text) && wordsOf(text).some((word) => /[A-Za-z]/.test(word));

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
