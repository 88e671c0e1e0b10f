import { type ReactNode, useId } from 'react';

import type { Draft } from './draft.ts';
import type { ControlField, FormDefinition } from './form-definition.ts';
import type { Values } from './values.ts';

interface FieldsProps {
  readonly draft: Draft;
  readonly form: FormDefinition;
  /** Messages below the fields, by their path in the input: `values.amount`. */
  readonly messages: Readonly<Record<string, readonly string[]>>;
}

/** The controls of a purchase request, generated from the platform's form. */
export function Fields({ draft, form, messages }: FieldsProps) {
  return form.fields.map((field) => {
    const name = field.graphqlName;
    if (name === 'urgent') return <Checkbox key={name} field={field} draft={draft} />;
    const { required, unit, description } = field;
    return (
      <LabelledControl
        key={name}
        label={field.label ?? name}
        required={required ?? false}
        hint={unit ?? description ?? (required ? undefined : 'optional')}
        message={form.failures[name] ?? messages[`values.${name}`]?.[0]}
        value={draft.values[name]}
        onEnter={(text) => draft.enter(name, text as Values[typeof name])}
        render={(props) => <Control {...props} field={field} form={form} />}
      />
    );
  });
}

/** The control for a field, by its options, its reference or its type. */
function Control({ field, form, ...props }: ControlProps & Pick<FieldsProps, 'form'> & OfField) {
  const { options, reference, type, min, max } = field;
  if (options) {
    return (
      <select {...props}>
        {options.map(({ value, label, enumValue }) => (
          <option key={value} value={enumValue ?? value}>
            {label ?? capitalize(value)}
          </option>
        ))}
      </select>
    );
  }
  if (reference) {
    return <Reference {...props} options={form.targets[reference.typeName ?? ''] ?? []} />;
  }
  const limits = { min: min ?? undefined, max: max ?? undefined };
  const maxLength = field.maxLength ?? undefined;
  if (type === 'integer') return <input {...props} {...limits} type="number" />;
  if (type === 'decimal') return <input {...props} {...limits} type="number" step="any" />;
  if (type === 'date') return <input {...props} type="date" />;
  if (maxLength !== undefined && maxLength > LONG_TEXT)
    return <textarea {...props} rows={3} maxLength={maxLength} />;
  return <input {...props} maxLength={maxLength} />;
}

/** Texts that may be longer have several lines. */
const LONG_TEXT = 200;

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

interface OfField {
  readonly field: ControlField;
}

function Checkbox({ field, draft }: OfField & Pick<FieldsProps, 'draft'>) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={draft.values.urgent}
        onChange={({ target }) => draft.enter('urgent', target.checked)}
      />
      {field.label}
    </label>
  );
}

interface ControlProps {
  readonly id: string;
  readonly required: boolean;
  readonly value: string;
  readonly onChange: (event: { readonly target: { readonly value: string } }) => void;
  readonly 'aria-invalid'?: true;
  readonly 'aria-describedby'?: string;
}

interface LabelledControlProps {
  readonly label: string;
  readonly required: boolean;
  readonly hint: string | undefined;
  readonly message: string | undefined;
  readonly value: string;
  readonly onEnter: (text: string) => void;
  readonly render: (props: ControlProps) => ReactNode;
}

/** A control with its label, and a message that screen readers read with it. */
function LabelledControl({
  label,
  required,
  hint,
  message,
  value,
  onEnter,
  render,
}: LabelledControlProps) {
  const id = useId();
  const messageId = `${id}-message`;
  const described =
    message === undefined ? {} : ({ 'aria-invalid': true, 'aria-describedby': messageId } as const);
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {hint !== undefined && <small> {hint}</small>}
      </label>
      {render({
        id,
        required,
        value,
        onChange: ({ target }) => onEnter(target.value),
        ...described,
      })}
      {message !== undefined && (
        <p id={messageId} className="message">
          {message}
        </p>
      )}
    </div>
  );
}

interface ReferenceProps extends ControlProps {
  readonly options: readonly { readonly id: string; readonly name?: string | null }[];
}

/** A choice of an instance of another form. */
function Reference({ options, ...props }: ReferenceProps) {
  return (
    <select {...props}>
      <option value="">–</option>
      {options.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
