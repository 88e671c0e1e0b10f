import type { FormRecord, RuleRecord } from '../records.ts';

/** The definitions of forms, and of the rules that are wanted. */
export interface DefinitionSet {
  readonly forms: readonly FormRecord[];
  readonly rules: readonly RuleRecord[];
}

/** Whether two sets define the same. */
export const isSameSet = (one: DefinitionSet, other: DefinitionSet): boolean =>
  changedForms(one.forms, other.forms).size === 0 && JSON.stringify(one.rules) === JSON.stringify(other.rules);

/** Gives the ids of the forms that came, went or changed. Links and members unknown to the gateway do not count. */
export function changedForms(before: readonly FormRecord[], after: readonly FormRecord[]): ReadonlySet<string> {
  const earlier = new Map(before.map((form) => [form.formId, form]));
  const later = new Map(after.map((form) => [form.formId, form]));
  const isChanged = (formId: string): boolean => {
    const [one, other] = [earlier.get(formId), later.get(formId)];
    return one === undefined || other === undefined || (one !== other && definitionOf(one) !== definitionOf(other));
  };
  return new Set([...earlier.keys(), ...later.keys()].filter(isChanged));
}

const definitionOf = ({ formId, name, description, fields }: FormRecord): string =>
  JSON.stringify([formId, name, description, fields]);
