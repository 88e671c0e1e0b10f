import type { FormRecord } from '../records.ts';

/** Whether two definitions of a form say the same, wherever they were read: links and members unknown here do not count. */
export const isSameForm = (one: FormRecord, other: FormRecord): boolean =>
  one === other || meaningOf(one) === meaningOf(other);

const meaningOf = ({ formId, name, description, fields }: FormRecord): string =>
  JSON.stringify([formId, name, description, fields]);

/** Gives the ids of the forms that came, went or changed. */
export function changedForms(before: readonly FormRecord[], after: readonly FormRecord[]): ReadonlySet<string> {
  const earlier = new Map(before.map((form) => [form.formId, form]));
  const later = new Map(after.map((form) => [form.formId, form]));
  const isChanged = (formId: string): boolean => {
    const [one, other] = [earlier.get(formId), later.get(formId)];
    return one === undefined || other === undefined || !isSameForm(one, other);
  };
  return new Set([...earlier.keys(), ...later.keys()].filter(isChanged));
}
