import { type ReactNode, useId } from 'react';

import { StatusSelect } from '../requests/status.tsx';
import type { Draft } from './draft.ts';
import type { FormDefinition } from './form-definition.ts';
import type { Field, Values } from './values.ts';

interface FieldsProps {
  readonly draft: Draft;
  readonly form: FormDefinition;
  /** Messages below the fields, by field name. */
  readonly messages: Readonly<Record<string, string>>;
}

/** The controls of a purchase request, labelled by the platform's form. */
export function Fields({ draft, form, messages }: FieldsProps) {
  const { suppliers, employees } = form;
  const control = (field: Exclude<Field, 'urgent'>, render: (props: ControlProps) => ReactNode) => (
    <LabelledControl
      label={form.labelOf(field)}
      required={form.isRequired(field)}
      hint={field === 'amount' ? 'EUR' : form.isRequired(field) ? undefined : 'optional'}
      message={form.failures[field] ?? messages[field]}
      value={draft.values[field]}
      onEnter={(text) => draft.enter(field, text as Values[typeof field])}
      render={render}
    />
  );

  return (
    <>
      {control('title', (props) => (
        <input {...props} maxLength={120} />
      ))}
      <div className="pair">
        {control('amount', (props) => (
          <input {...props} type="number" min="0" step="any" />
        ))}
        {control('quantity', (props) => (
          <input {...props} type="number" min="1" />
        ))}
        {control('status', (props) => (
          <StatusSelect {...props} />
        ))}
        {control('neededBy', (props) => (
          <input {...props} type="date" />
        ))}
      </div>
      <div className="pair wide">
        {control('supplier', (props) => (
          <Reference {...props} options={suppliers} />
        ))}
        {control('requester', (props) => (
          <Reference {...props} options={employees} />
        ))}
      </div>
      {control('notes', (props) => (
        <textarea {...props} rows={3} maxLength={2000} />
      ))}
      <label className="check">
        <input
          type="checkbox"
          checked={draft.values.urgent}
          onChange={({ target }) => draft.enter('urgent', target.checked)}
        />
        {form.labelOf('urgent')}
      </label>
    </>
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
