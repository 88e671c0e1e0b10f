import { z } from 'zod';

import type { FieldRecord, FormRecord } from '../upstream/records.ts';
import {
  type FormNames,
  isDerived,
  isFieldName,
  nameChoices,
  nameEnums,
  nameFields,
  nameForm,
  namesOfType,
} from './names.ts';
import { type Choices, describeField, shapeOf, type TypedField, type TypedForm } from './typed-form.ts';

/** Why a form has no types of its own, or not all. */
export interface Problem {
  readonly formId: string;
  /** The platform's name of the field that it is about; absent where it is about the form. */
  readonly field?: string;
  /** Ends the sentence "… stays generic: ". */
  readonly reason: string;
}

/** What definitions were mapped to. */
export interface Mapped {
  readonly forms: readonly TypedForm[];
  readonly problems: readonly Problem[];
}

interface MapOptions {
  readonly aliases: Aliases;
  /** Names that the rest of the graph has. */
  readonly isReserved: (name: string) => boolean;
}

/** A definition that cannot be mapped. Its message is the reason. */
class MappingError extends Error {
  override readonly name = 'MappingError';
  readonly field: string | undefined;

  constructor(reason: string, field?: string) {
    super(reason);
    this.field = field;
  }
}

/** Maps definitions to forms with types of their own. One that cannot be mapped is left out and said to be a problem. */
export function mapForms(definitions: readonly FormRecord[], { aliases, isReserved }: MapOptions): Mapped {
  const forms: TypedForm[] = [];
  const problems: Problem[] = [];
  const taken = new Set<string>();

  // An alias keeps its name, so that generated names give way.
  for (const definition of definitions.toSorted(aliasedFirst(aliases))) {
    const { formId } = definition;
    try {
      const form = mapForm(definition, { aliases, isReserved });
      claim(form, taken);
      forms.push(form);
    } catch (error) {
      if (!(error instanceof MappingError)) throw error;
      problems.push({ formId, reason: error.message, ...(error.field !== undefined && { field: error.field }) });
    }
  }
  return { forms: forms.toSorted(byFormId), problems };
}

const byFormId = (one: { readonly formId: string }, other: { readonly formId: string }): number =>
  one.formId < other.formId ? -1 : Number(one.formId > other.formId);

const aliasedFirst = (aliases: Aliases) => (one: FormRecord, other: FormRecord) =>
  Number(aliases.get(other.formId)?.name !== undefined) - Number(aliases.get(one.formId)?.name !== undefined) ||
  byFormId(one, other);

function mapForm(definition: FormRecord, { aliases, isReserved }: MapOptions): TypedForm {
  const { formId, name, description, fields } = definition;
  if (fields === undefined) throw new MappingError('its definition lists no fields');
  const alias = aliases.get(formId);
  const names = alias?.name === undefined ? nameForm(formId, isReserved) : aliased(alias.name, isReserved);
  return { formId, names, title: name ?? formId, description, fields: mapFields(fields, names, alias) };
}

function aliased(name: string, isReserved: (name: string) => boolean): FormNames {
  if (!/^[A-Z][A-Za-z0-9_]*$/.test(name)) throw new MappingError(`its alias ${JSON.stringify(name)} is no type's name`);
  if (isReserved(name) || isDerived(name)) throw new MappingError(`its alias ${JSON.stringify(name)} is not free`);
  return namesOfType(name);
}

function mapFields(records: readonly FieldRecord[], { type }: FormNames, alias: Alias | undefined): TypedField[] {
  const fieldNames = records.map(({ name }) => name);
  const twice = fieldNames.find((name, index) => fieldNames.indexOf(name) !== index);
  if (twice !== undefined) throw new MappingError('the form has two fields of this name', twice);

  const given = nameFields(fieldNames.filter((name) => !alias?.fields.has(name)));
  const named = new Map(fieldNames.map((name) => [name, given.get(name) ?? alias?.fields.get(name) ?? name]));
  const enums = nameEnums(type, [...named.values()]);
  const taken = new Set<string>();
  return records.map((record) => {
    const name = named.get(record.name) ?? record.name;
    if (!isFieldName(name) || taken.has(name)) throw new MappingError(`its alias ${name} is not free`, record.name);
    taken.add(name);
    const shape = shapeOf(record, choicesOf(record, enums.get(name) ?? name));
    return { name, record, shape, description: describeField({ name, record, shape }) };
  });
}

/** The choices of a field; `undefined` where it has none, or an option of it is no plain value. */
function choicesOf({ options = [], choices = [] }: FieldRecord, enumName: string): Choices | undefined {
  if (choices.length === 0 || choices.length < options.length) return undefined;
  const names = nameChoices(choices.map(({ value }) => String(value)));
  const named = choices.map((choice) => ({ ...choice, name: names.get(String(choice.value)) ?? '' }));
  return { enumName, byText: new Map(named.map((choice) => [String(choice.value), choice])) };
}

function claim({ names, fields }: TypedForm, taken: Set<string>): void {
  const enums = fields.flatMap(({ shape }) => (shape.kind === 'choice' ? shape.choices.enumName : []));
  const claimed = [names.type, names.one, names.many, ...enums];
  const lost = claimed.find((name) => taken.has(name));
  if (lost !== undefined) throw new MappingError(`the name ${lost} is another form's`);
  for (const name of claimed) taken.add(name);
}

/** Names that somebody chose for one form: of its type, and of its fields by the platform's names. */
export interface Alias {
  readonly name?: string | undefined;
  readonly fields: ReadonlyMap<string, string>;
}

/** Chosen names, by `idForm`. */
export type Aliases = ReadonlyMap<string, Alias>;

const aliasesSchema = z.record(
  z.string(),
  z.strictObject({ name: z.string().optional(), fields: z.record(z.string(), z.string()).prefault({}) }),
);

/** Reads chosen names from a file's JSON: `{"form-id": {"name": "TypeName", "fields": {"platform name": "graphName"}}}`. */
export function readAliases(json: unknown): { readonly aliases: Aliases } | { readonly problems: readonly string[] } {
  const { data, error } = aliasesSchema.safeParse(json);
  if (error) return { problems: error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) };
  const entries = Object.entries(data);
  return {
    aliases: new Map(entries.map(([id, { name, fields }]) => [id, { name, fields: new Map(Object.entries(fields)) }])),
  };
}
