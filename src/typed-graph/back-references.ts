import { capitalize, isFieldName, mark, toPascal, wordsOf } from './names.ts';
import type { TypedField, TypedForm } from './typed-form.ts';

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
 * (`Employee.purchaseRequests_Approver`).
 */
export function findBackReferences(forms: readonly TypedForm[]): ReadonlyMap<string, readonly BackReference[]> {
  const byId = new Map(forms.map((form) => [form.formId, form]));
  const all = forms.flatMap((form) =>
    form.fields.flatMap((field) => {
      const target = field.shape.kind === 'reference' ? byId.get(field.shape.formId) : undefined;
      return target ? [{ formId: target.formId, name: nameIn(target, form, field), form, field }] : [];
    }),
  );
  return Map.groupBy(all, ({ formId }) => formId);
}

function nameIn(target: TypedForm, form: TypedForm, field: TypedField): string {
  const { many } = form.names;
  const isFirst = form.fields.find(({ shape }) => refersTo(shape, target)) === field;
  const isFree = (name: string) => isFieldName(name) && !target.fields.some((own) => own.name === name);
  if (isFirst && isFree(many)) return many;
  const name = `${many}_${capitalize(toPascal(wordsOf(field.name)))}`;
  const isClear = !form.fields.some((other) => other !== field && wordsAlike(other.name, field.name));
  return isFree(name) && isClear ? name : mark(many, form.formId, field.name);
}

const refersTo = (shape: TypedField['shape'], { formId }: TypedForm): boolean =>
  shape.kind === 'reference' && shape.formId === formId;

const wordsAlike = (one: string, other: string): boolean =>
  capitalize(toPascal(wordsOf(one))) === capitalize(toPascal(wordsOf(other)));
