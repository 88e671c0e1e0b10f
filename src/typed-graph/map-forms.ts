import type { FieldRecord, FormRecord } from '../upstream/records.ts';
import type { Alias, Aliases } from './aliases.ts';
import { isFieldName, nameChoices, nameFields } from './field-names.ts';
import { nameForms, type OwnNames } from './form-names.ts';
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
  /** Every name that is taken now; those of mutations as `Mutation.name`. */
  readonly taken: ReadonlySet<string>;
}

interface MapOptions {
  readonly aliases: Aliases;
  /** The forms that are mapped; all where absent. Names depend on the others as well. */
  readonly only?: ReadonlySet<string> | undefined;
  readonly own: OwnNames;
}

/**
 * Maps definitions to forms with types of their own, in the order of their ids. One that cannot be mapped is left out and
 * said to be a problem; it has its names all the same, so that those of others do not depend on it.
 */
export function mapForms(definitions: readonly FormRecord[], { aliases, own, only }: MapOptions): Mapped {
  const sorted = definitions.toSorted(byFormId);
  const mapped = new Map(sorted.map((definition) => [definition.formId, mapFields(definition, aliases)]));
  const named = sorted.map(({ formId, name: title }) => {
    const { fields = [] } = mapped.get(formId) ?? {};
    return { formId, title, choices: fields.flatMap(({ name, shape }) => (shape.kind === 'choice' ? name : [])) };
  });
  const { names, refused, taken } = nameForms(named, aliases, own);

  const forms: TypedForm[] = [];
  const problems: Problem[] = [];
  for (const { formId, name, description } of sorted) {
    if (only?.has(formId) === false) continue;
    const { fields, problem } = mapped.get(formId) ?? {};
    const given = names.get(formId);
    if (fields && given) forms.push({ formId, names: given, title: name ?? formId, description, fields });
    else problems.push({ formId, reason: refused.get(formId) ?? '', ...problem });
  }
  return { forms, problems, taken };
}

const byFormId = (one: FormRecord, other: FormRecord): number =>
  one.formId < other.formId ? -1 : Number(one.formId > other.formId);

interface MappedFields {
  readonly fields?: readonly TypedField[];
  readonly problem?: Omit<Problem, 'formId'>;
}

function mapFields({ formId, fields: records }: FormRecord, aliases: Aliases): MappedFields {
  if (records === undefined) return { problem: { reason: 'its definition lists no fields' } };
  const fieldNames = records.map(({ name }) => name);
  const twice = fieldNames.find((name, index) => fieldNames.indexOf(name) !== index);
  if (twice !== undefined) return { problem: { reason: 'the form has two fields of this name', field: twice } };

  const chosen = chosenNames(fieldNames, aliases.get(formId));
  const lost = [...chosen].find(
    ([, name], index) => !isFieldName(name) || [...chosen.values()].indexOf(name) !== index,
  );
  if (lost !== undefined) return { problem: { reason: `its alias ${lost[1]} is not free`, field: lost[0] } };
  const names = nameFields(records, { chosen });
  return { fields: records.map((record) => mapField(record, names.get(record.name) ?? record.name)) };
}

const chosenNames = (fields: readonly string[], alias: Alias | undefined): ReadonlyMap<string, string> =>
  new Map([...(alias?.fields ?? [])].filter(([field]) => fields.includes(field)));

function mapField(record: FieldRecord, name: string): TypedField {
  const shape = shapeOf(record, choicesOf(record));
  return { name, record, shape, description: describeField({ name, record, shape }) };
}

/** The choices of a field; `undefined` where it has none, or an option of it is no plain value. */
function choicesOf({ options = [], choices = [] }: FieldRecord): Choices | undefined {
  if (choices.length === 0 || choices.length < options.length) return undefined;
  const names = nameChoices(choices.map(({ value, label }) => ({ text: String(value), label })));
  return new Map(
    choices.map((choice) => {
      const text = String(choice.value);
      return [text, { ...choice, name: names.get(text) ?? '' }];
    }),
  );
}
