import { z } from 'zod';

import type { FileReading } from '../../config/files.ts';
import { CHANGES, type ChangeWord } from './generic-types.ts';
import { addSuffix, capitalize, firstWords, repeated, toPascal, uncapitalize } from './names.ts';

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
}

/** The words that a form's other names are made of. */
interface Stem {
  readonly form: NamedForm;
  readonly type: string;
  readonly one: string;
  readonly many: string;
}

/**
 * Names forms by their ids, by their titles where an id has no words, and by their aliases, in whatever order they
 * come. Claims go in this order: the rest of the graph, chosen names, each form's type and field for one instance, and what
 * derives from these. A name that is claimed before, or by several at once, gets a suffix.
 */
export function nameForms(forms: readonly NamedForm[], aliases: Aliases, own: OwnNames) {
  const isOwn = ({ type, one }: Stem) => own.types.has(type) || own.queries.has(one);
  const isChosen = ({ formId }: NamedForm) => aliases.get(formId)?.name !== undefined;
  const toStem = (form: NamedForm) => stemOf(form, aliases.get(form.formId));

  const all = forms.filter(isChosen).map(toStem);
  const claimedTwice = repeated(all.flatMap(claimsOf));
  /** Why forms have no names, by their ids. */
  const refused: ReadonlyMap<string, string> = new Map(
    all.flatMap((stem) => {
      const reason = whyRefused(stem, isOwn(stem) || claimsOf(stem).some((name) => claimedTwice.has(name)));
      return reason === undefined ? [] : [[stem.form.formId, reason] as const];
    }),
  );
  const chosen = all.filter(({ form }) => !refused.has(form.formId));

  const standing = new Set(chosen.flatMap(claimsOf));
  const natural = forms.filter((form) => !isChosen(form)).map(toStem);
  const twice = repeated(natural.flatMap(claimsOf));
  const suffixed = natural.map((stem) => {
    const isFree = !isOwn(stem) && !claimsOf(stem).some((name) => twice.has(name) || standing.has(name));
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
  const derived = settle(stems.flatMap(derivedOf), taken);
  // Filters by enums have the enums' names in theirs, which must stand before.
  const filters = settle(
    stems.flatMap(({ form }) =>
      form.choices.map((field) => {
        const { formId } = form;
        return { formId, part: `filter ${field}`, name: `${nameIn(derived, formId, `enum ${field}`)}FilterInput` };
      }),
    ),
    taken,
  );
  const names = stems.map((stem) => [stem.form.formId, toNames(stem, new Map([...derived, ...filters]))] as const);
  return { names: new Map(names), refused, taken };
}

function stemOf(
  form: NamedForm,
  alias: { readonly name?: string | undefined; readonly plural?: string | undefined } = {},
): Stem {
  const { formId, title } = form;
  const type = alias.name ?? toPascal(firstWords(formId, title), 'Form');
  const one = uncapitalize(type);
  return { form, type, one, many: alias.plural ?? pluralOf(one) };
}

const addSuffixToStem = ({ form, type, one, many }: Stem): Stem => ({
  form,
  type: addSuffix(type, form.formId),
  one: addSuffix(one, form.formId),
  many: addSuffix(many, form.formId),
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

/** A name that a form would have, if it is free, and what for. */
interface NameClaim {
  readonly formId: string;
  readonly part: string;
  readonly name: string;
}

const idOf = ({ formId, part }: Omit<NameClaim, 'name'>): string => JSON.stringify([formId, part]);
const inMutation = (field: string): string => `Mutation.${field}`;

/** Gives each its name, with a suffix where it is taken or claimed by others as well, and takes it. */
function settle(claims: readonly NameClaim[], taken: Set<string>): ReadonlyMap<string, string> {
  const twice = repeated(claims.map(({ name }) => name));
  const settled = claims.map((claim) => {
    const { formId, part, name } = claim;
    return [idOf(claim), taken.has(name) || twice.has(name) ? addSuffix(name, formId, part) : name] as const;
  });
  for (const [, name] of settled) taken.add(name);
  return new Map(settled);
}

function derivedOf({ form, type, many }: Stem): readonly NameClaim[] {
  const { formId, choices } = form;
  const changes = CHANGES.flatMap((word) => [
    [word, inMutation(word + type)] as const,
    ...['Input', 'Payload', 'Values'].map((end) => [word + end, capitalize(word) + type + end] as const),
  ]);
  const names = [
    ['many', many] as const,
    ...['Connection', 'Edge', 'FilterInput', 'Order'].map((end) => [end, type + end] as const),
    ...changes,
    ...choices.map((field) => [`enum ${field}`, type + capitalize(field.replace(/_$/, ''))] as const),
  ];
  return names.map(([part, name]) => ({ formId, part, name }));
}

function nameIn(settled: ReadonlyMap<string, string>, formId: string, part: string): string {
  return settled.get(idOf({ formId, part })) ?? part;
}

function toNames({ form, type, one }: Stem, settled: ReadonlyMap<string, string>) {
  const at = (part: string) => nameIn(settled, form.formId, part);
  const changes = CHANGES.map((word): readonly [ChangeWord, ChangeNames] => [
    word,
    {
      field: at(word).replace(inMutation(''), ''),
      input: at(`${word}Input`),
      payload: at(`${word}Payload`),
      values: at(`${word}Values`),
    },
  ]);
  return {
    /** Its object type, such as `PurchaseRequest`. */
    type,
    /** `Query`'s field for one instance, such as `purchaseRequest`. */
    one,
    /** `Query`'s field for a list of them, such as `purchaseRequests`. */
    many: at('many'),
    connection: at('Connection'),
    edge: at('Edge'),
    /** The input that filters a list, and the one that orders it. */
    filter: at('FilterInput'),
    order: at('Order'),
    changes: Object.fromEntries(changes) as Record<ChangeWord, ChangeNames>,
    /** The enums of its choices, and the inputs that filter by them, by the fields' names in the graph. */
    enums: new Map(form.choices.map((field) => [field, { type: at(`enum ${field}`), filter: at(`filter ${field}`) }])),
  };
}

/** The aliases of one form: of its type, of its list, and of its fields by the platform's names. */
export interface Alias {
  readonly name?: string | undefined;
  readonly plural?: string | undefined;
  readonly fields: ReadonlyMap<string, string>;
}

/** Chosen names, by `idForm`. */
export type Aliases = ReadonlyMap<string, Alias>;

const aliasesSchema = z.record(
  z.string(),
  z.strictObject({
    name: z.string().optional(),
    plural: z
      .string()
      .regex(/^[a-z][A-Za-z0-9_]*$/, 'must be a field’s name')
      .optional(),
    fields: z.record(z.string(), z.string()).prefault({}),
  }),
);

/**
 * Reads chosen names from a file's JSON: `{"form-id": {"name": "TypeName", "plural": "typeNames", "fields": {"platform
 * name": "graphName"}}}`.
 */
export function readAliases(json: unknown): FileReading<Aliases> {
  const { data, error } = aliasesSchema.safeParse(json);
  if (error) return { problems: error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) };
  const entries = Object.entries(data);
  return {
    value: new Map(
      entries.map(([id, { fields, ...names }]) => [id, { ...names, fields: new Map(Object.entries(fields)) }]),
    ),
  };
}
