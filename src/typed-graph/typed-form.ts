import type { ChoiceRecord, FieldRecord } from '../upstream/records.ts';
import type { FormNames } from './form-names.ts';

/** A form that has types of its own. */
export interface TypedForm {
  readonly formId: string;
  readonly names: FormNames;
  /** For people. */
  readonly title: string;
  readonly description: string | undefined;
  readonly fields: readonly TypedField[];
}

/** A field of such a form. */
export interface TypedField {
  /** Its name in the graph; `record.name` is the platform's. */
  readonly name: string;
  readonly record: FieldRecord;
  readonly shape: Shape;
  /** For people, as it stands in the schema. */
  readonly description: string;
}

/** What a field's values look like in the graph. `int` has 32 bits, `long` 64; `json` is whatever the platform has. */
export type Shape =
  | { readonly kind: PlainKind }
  | { readonly kind: 'choice'; readonly choices: Choices }
  | { readonly kind: 'reference'; readonly formId: string };

export type PlainKind = 'text' | 'int' | 'long' | 'float' | 'decimal' | 'boolean' | 'date' | 'datetime' | 'json';

/** The options of a choice, each with its name in the enum, by what the platform's value is as a text. */
export type Choices = ReadonlyMap<string, ChoiceRecord & { readonly name: string }>;

const INT32 = 2 ** 31;

/** Gives the shape of a field's values. `choices` is what it would choose from, if there is anything. */
export function shapeOf(field: FieldRecord, choices: Choices | undefined): Shape {
  const { kind, type, reference, min = -Infinity, max = Infinity } = field;
  if (reference !== undefined) return { kind: 'reference', formId: reference };
  const isChoice = kind === 'choice' || kind === 'text' || type === undefined;
  if (isChoice && choices) return { kind: 'choice', choices };
  if (kind === 'integer') return { kind: min >= -INT32 && max < INT32 ? 'int' : 'long' };
  if (kind === 'choice') return { kind: 'text' };
  return { kind: kind === undefined || kind === 'reference' ? 'json' : kind };
}

/** What a form's type is described by. */
export function describeForm({ title, formId, description }: TypedForm): string {
  const about = description ? `\n\n${description}` : '';
  return `${title}: an instance of the form \`${formId}\`.${about}`;
}

/** What a field is described by: its label, what it holds, and where it has another name on the platform. */
export function describeField({ name, record, shape }: Omit<TypedField, 'description'>): string {
  const { label, unit, required } = record;
  const own = record.type === undefined ? '' : ` \`${record.type}\``;
  return (
    `${label ?? record.name}${unit === undefined ? '' : `, in ${unit}`}.` +
    (required === true ? ' Required.' : '') +
    describeLimits(record) +
    (shape.kind === 'reference' ? ` Refers to the form \`${shape.formId}\`.` : '') +
    (shape.kind === 'json' ? ` Of the platform’s own type${own}.` : '') +
    (name === record.name ? '' : ` The platform’s field is ${JSON.stringify(record.name)}.`)
  );
}

const describeLimits = ({ min, max, maxLength }: FieldRecord): string =>
  (min === undefined ? '' : ` At least ${min}.`) +
  (max === undefined ? '' : ` At most ${max}.`) +
  (maxLength === undefined ? '' : ` At most ${maxLength} characters.`);
