import type { FieldRecord } from '../upstream/records.ts';
import type { TypedField, TypedForm } from './typed-form.ts';

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
