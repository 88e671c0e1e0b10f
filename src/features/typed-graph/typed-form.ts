import { readBoolean } from '../../core/boolean.ts';
import type { Dialect } from '../../upstream/dialect.ts';
import {
  type ChoiceRecord,
  decodeFieldDefinition,
  type FieldDefinition,
} from '../../upstream/field-definition.ts';
import { isId } from '../../upstream/path.ts';
import type { FieldRecord, FormRecord } from '../../upstream/records.ts';
import { hasOperator, isFieldEncodable } from '../../upstream/search.ts';
import {
  type Aliases,
  addSuffix,
  type FormNames,
  isFieldName,
  nameChoices,
  nameFields,
  nameForms,
  type OwnNames,
  repeated,
  toSuffix,
} from './names.ts';

/** A form that has types of its own. */
export interface TypedForm {
  readonly formId: string;
  readonly names: FormNames;
  /** Whether `TYPED_ALIASES` contains the name of its type. */
  readonly isPinned: boolean;
  /** The display name. */
  readonly title: string;
  readonly description: string | undefined;
  readonly fields: readonly TypedField[];
}

/** A field of a form with types, or a parameter of a rule. */
export interface TypedField {
  /** The name in the graph. `record.name` is the platform's name. */
  readonly name: string;
  readonly record: FieldDefinition;
  /** The shape of each value. */
  readonly shape: Shape;
  /** Whether the field can have several values. */
  readonly isList: boolean;
  /** The description in the schema. */
  readonly description: string;
}

/**
 * The kind of a field's values in the graph. `int` has 32 bits and `long` 64. `json` is any value.
 */
export type Shape =
  | { readonly kind: PlainKind }
  | { readonly kind: 'choice'; readonly choices: Choices }
  | { readonly kind: 'reference'; readonly formId: string };

export type PlainKind =
  | 'text'
  | 'int'
  | 'long'
  | 'float'
  | 'decimal'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'json';

/** The options of a choice with their names in the enum, by the text of the platform's value. */
export type Choices = ReadonlyMap<string, ChoiceRecord & { readonly name: string }>;

const INT32 = 2 ** 31;

/** Returns the shape of a field's values. `choices` are the options, if there are any. */
function shapeOf(field: FieldDefinition, choices: Choices | undefined): Shape {
  const { kind, type, reference, min = -Infinity, max = Infinity } = field;
  if (reference !== undefined) return { kind: 'reference', formId: reference };
  const isChoice = kind === 'choice' || kind === 'text' || type === undefined || kind === 'boolean';
  if (isChoice && choices && !(kind === 'boolean' && isYesOrNo(choices)))
    return { kind: 'choice', choices };
  if (kind === 'integer') return { kind: min >= -INT32 && max < INT32 ? 'int' : 'long' };
  if (kind === 'choice') return { kind: 'text' };
  return { kind: kind === undefined || kind === 'reference' ? 'json' : kind };
}

const isYesOrNo = (choices: Choices): boolean =>
  choices.values().every(({ value }) => readBoolean(value) !== undefined);

/**
 * Returns whether a field can have several values. A boolean with options is a group of checkboxes.
 */
function hasSeveral({ kind, isMultiple }: FieldDefinition, shape: Shape): boolean {
  if (shape.kind === 'reference') return isMultiple === true;
  if (shape.kind !== 'choice' && kind !== 'choice') return false;
  return isMultiple ?? kind === 'boolean';
}

/** Returns the description of a form's type. */
export function describeForm({ title, formId, description }: TypedForm): string {
  const about = description ? `\n\n${description}` : '';
  return `${title}: an instance of the form \`${formId}\`.${about}`;
}

/**
 * Returns the description of a field: the label, unit, constraints, and the platform's name if it
 * differs.
 */
function describeField({
  name,
  record,
  shape,
}: Pick<TypedField, 'name' | 'record' | 'shape'>): string {
  const { label, unit, required } = record;
  const own = record.type === undefined ? '' : ` \`${record.type}\``;
  return (
    `${label ?? record.name}${unit === undefined ? '' : `, in ${unit}`}.` +
    (required === true ? ' Required.' : '') +
    describeLimits(record) +
    (shape.kind === 'reference' ? ` Refers to the form \`${shape.formId}\`.` : '') +
    (shape.kind === 'json' ? ` Of the platform’s own type${own}.` : '') +
    (name === record.name ? '' : ` The platform’s name for it is ${JSON.stringify(record.name)}.`)
  );
}

const describeLimits = ({ min, max, maxLength }: FieldDefinition): string =>
  (min === undefined ? '' : ` At least ${min}.`) +
  (max === undefined ? '' : ` At most ${max}.`) +
  (maxLength === undefined ? '' : ` At most ${maxLength} characters.`);

/** Why a form or a rule has no types of its own, or lacks a part of them. */
export interface Problem {
  readonly of: 'form' | 'rule';
  /** The form's id, or the rule as written in `TYPED_RULES`. */
  readonly id: string;
  /**
   * The platform's name of the faulty field or parameter; absent if the problem concerns the whole
   * form or rule.
   */
  readonly field?: string;
  /** The end of the sentence "… stays generic: " or "a part is left out: ". */
  readonly reason: string;
  /** Whether only a part of the form is left out of the graph. */
  readonly isOfPart?: true;
}

interface MapOptions {
  readonly dialect: Dialect;
  readonly aliases: Aliases;
  readonly own: OwnNames;
}

/**
 * Maps definitions to forms with types of their own, in the order of their ids. A form that cannot
 * be mapped is reported in `problems`. It still takes part in naming, so that the names of other
 * forms do not depend on it.
 */
export function mapForms(
  definitions: readonly FormRecord[],
  { dialect, aliases, own }: MapOptions,
) {
  const sorted = definitions.toSorted(byFormId);
  const mapped = new Map(
    sorted.map((definition) => [
      definition.formId,
      mapFields(definition, { aliases, dialect, own }),
    ]),
  );
  const named = sorted.map(({ formId, name: title }) => {
    const { fields = [] } = mapped.get(formId) ?? {};
    return {
      formId,
      title,
      choices: fields.flatMap(({ name, shape }) => (shape.kind === 'choice' ? name : [])),
    };
  });
  const { names, refused, taken } = nameForms(named, aliases, own);

  const forms: TypedForm[] = [];
  const problems: Problem[] = [];
  for (const { formId, name, description, fields: records = [] } of sorted) {
    const { fields, problem } = mapped.get(formId) ?? {};
    const given = names.get(formId);
    const isPinned = aliases.get(formId)?.name !== undefined;
    if (!fields || !given) {
      problems.push({ of: 'form', id: formId, reason: refused.get(formId) ?? '', ...problem });
      continue;
    }
    forms.push({ formId, names: given, isPinned, title: name ?? formId, description, fields });
    for (const record of records) {
      const reason = whyLeftOut(record, dialect);
      if (reason)
        problems.push({ of: 'form', id: formId, field: record.name, reason, isOfPart: true });
    }
  }
  return { forms, problems, taken };
}

/**
 * Returns why a field, or the back reference through it, is left out; `undefined` if everything is
 * in the graph.
 */
function whyLeftOut({ name, reference }: FieldRecord, dialect: Dialect): string | undefined {
  if (name === PROTOTYPE) return 'the gateway drops members of this name from responses';
  if (reference === undefined || isSearchable(name, dialect)) return undefined;
  return 'the platform cannot search by this field, so the referenced form does not list the referring instances';
}

const PROTOTYPE = '__proto__';

/** Returns whether instances can be found by the value of a field. */
const isSearchable = (name: string, { search }: Dialect): boolean =>
  isFieldEncodable(name) && hasOperator('EQ', search);

const byFormId = (one: FormRecord, other: FormRecord): number =>
  one.formId < other.formId ? -1 : Number(one.formId > other.formId);

interface MappedFields {
  readonly fields?: readonly TypedField[];
  readonly problem?: Omit<Problem, 'of' | 'id'>;
}

function mapFields(
  { formId, fields }: FormRecord,
  { aliases, dialect, own }: MapOptions,
): MappedFields {
  if (!isId(formId)) return { problem: { reason: 'no address can carry its id' } };
  if (fields === undefined) return { problem: { reason: 'its definition lists no fields' } };
  const [twice] = repeated(fields.map(({ name }) => name));
  if (twice !== undefined)
    return { problem: { reason: 'the form has two fields of this name', field: twice } };

  const records = fields
    .filter(({ name }) => name !== PROTOTYPE)
    .map((field) => decodeFieldDefinition(field, dialect.form));
  const known = new Set(records.map(({ name }) => name));
  const chosen = new Map(
    [...(aliases.get(formId)?.fields ?? [])].filter(([field]) => known.has(field)),
  );
  const chosenTwice = repeated(chosen.values());
  const lost = [...chosen].find(
    ([, name]) => !isFieldName(name, own.fields) || chosenTwice.has(name),
  );
  if (lost !== undefined)
    return { problem: { reason: `its alias ${lost[1]} is not free`, field: lost[0] } };
  const names = nameFields(records, { chosen, own: own.fields });
  return {
    fields: records.map((record) => mapField(record, names.get(record.name) ?? record.name)),
  };
}

/** Returns a field, or a parameter of a rule, with its shape and description. */
export function mapField(record: FieldDefinition, name: string): TypedField {
  const shape = shapeOf(record, choicesOf(record));
  const isList = hasSeveral(record, shape);
  return { name, record, shape, isList, description: describeField({ name, record, shape }) };
}

/**
 * Returns the choices of a field; `undefined` if it has no options, or an option is not a plain
 * value.
 */
function choicesOf({ options = [], choices = [] }: FieldDefinition): Choices | undefined {
  if (choices.length === 0 || choices.length < options.length) return undefined;
  const names = nameChoices(choices.map(({ value, label }) => ({ text: String(value), label })));
  return new Map(
    choices.map((choice) => {
      const text = String(choice.value);
      return [text, { ...choice, name: names.get(text) ?? '' }];
    }),
  );
}

/** A list of instances that refer to an instance through one field. */
export interface BackReference {
  /** The field's name in the type of the referenced form. */
  readonly name: string;
  readonly form: TypedForm;
  readonly field: TypedField;
}

/**
 * Finds the fields that refer to each form, by its id. The first reference from one form to another
 * gets the name of the form's list (`Supplier.purchaseRequests`). If the target has a field with
 * this name, and for further references, the name also contains the field
 * (`Employee.purchaseRequestsByApprover`). Equal names get suffixes.
 */
export function findBackReferences(
  forms: readonly TypedForm[],
  dialect: Dialect,
  own: OwnNames['fields'],
): ReadonlyMap<string, readonly BackReference[]> {
  const isFree = (name: string, { fields }: TypedForm): boolean =>
    isFieldName(name, own) && !fields.some((field) => field.name === name);
  const byId = new Map(forms.map((form) => [form.formId, form]));
  const all = forms.flatMap((form) =>
    form.fields.flatMap((field) => {
      // The interface defines no search for fields with several values.
      const target =
        field.shape.kind === 'reference' && !field.isList
          ? byId.get(field.shape.formId)
          : undefined;
      if (!target || !isSearchable(field.record.name, dialect)) return [];
      return [{ target, name: nameIn(target, form, field, isFree), form, field }];
    }),
  );
  const byTarget = Map.groupBy(all, ({ target }) => target);
  return new Map(
    [...byTarget].map(([target, found]) => [target.formId, withMarks(found, target, isFree)]),
  );
}

type IsFree = (name: string, target: TypedForm) => boolean;

function nameIn(target: TypedForm, form: TypedForm, field: TypedField, isFree: IsFree): string {
  const { many } = form.names;
  const first = form.fields.find(
    ({ shape, isList }) => shape.kind === 'reference' && shape.formId === target.formId && !isList,
  );
  return first === field && isFree(many, target) ? many : `${many}By${toSuffix(field.name)}`;
}

function withMarks(
  found: readonly BackReference[],
  target: TypedForm,
  isFree: IsFree,
): readonly BackReference[] {
  const twice = repeated(found.map(({ name }) => name));
  return found.map(({ name, form, field }) => {
    const isAlone = !twice.has(name) && isFree(name, target);
    return { form, field, name: isAlone ? name : addSuffix(name, form.formId, field.record.name) };
  });
}
