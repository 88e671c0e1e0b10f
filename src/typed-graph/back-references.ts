import { isFieldName, toSuffix } from './field-names.ts';
import type { TypedField, TypedForm } from './typed-form.ts';
import { mark, repeated } from './words.ts';

/** The instances of another form, or of the same, that refer to an instance by one field. */
export interface BackReference {
  /** Its name in the type of what is referred to. */
  readonly name: string;
  readonly form: TypedForm;
  readonly field: TypedField;
}

/**
 * Gives what refers to each form, by its id. The first field of a form that refers to another is called as the form's list
 * is (`Supplier.purchaseRequests`); others, or where the other form has a field of that name, say the field as well
 * (`Employee.purchaseRequestsByApprover`). Several of one name get marks.
 */
export function findBackReferences(forms: readonly TypedForm[]): ReadonlyMap<string, readonly BackReference[]> {
  const byId = new Map(forms.map((form) => [form.formId, form]));
  const all = forms.flatMap((form) =>
    form.fields.flatMap((field) => {
      const target = field.shape.kind === 'reference' ? byId.get(field.shape.formId) : undefined;
      return target ? [{ target, name: nameIn(target, form, field), form, field }] : [];
    }),
  );
  const byTarget = Map.groupBy(all, ({ target }) => target);
  return new Map([...byTarget].map(([target, found]) => [target.formId, withMarks(found, target)]));
}

function nameIn(target: TypedForm, form: TypedForm, field: TypedField): string {
  const { many } = form.names;
  const isFirst =
    form.fields.find(({ shape }) => shape.kind === 'reference' && shape.formId === target.formId) === field;
  return isFirst && isFree(many, target) ? many : `${many}By${toSuffix(field.name)}`;
}

const isFree = (name: string, { fields }: TypedForm): boolean =>
  isFieldName(name) && !fields.some((own) => own.name === name);

function withMarks(found: readonly BackReference[], target: TypedForm): readonly BackReference[] {
  const twice = repeated(found.map(({ name }) => name));
  return found.map(({ name, form, field }) => {
    const isAlone = !twice.has(name) && isFree(name, target);
    return { form, field, name: isAlone ? name : mark(name, form.formId, field.record.name) };
  });
}
