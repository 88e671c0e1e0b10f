import type { Json, JsonObject } from '../json.ts';
import type { Form } from '../model.ts';
import { type Checked, checkValue } from './check-value.ts';
import { type Merged, mergeValues, type Values } from './merge-values.ts';
import type { Value } from './value-type.ts';

/** Whether a form has an instance; references are checked by it. */
export type HasInstance = (idForm: string, idInstance: number) => boolean;

interface Change {
  /** What the instance holds now; nothing for a new one. */
  readonly current: Values;
  readonly named: JsonObject;
  readonly hasInstance: HasInstance;
  /** Whether required fields that are not named must have a value as well. */
  readonly isWhole: boolean;
}

/** The instance's values after a change, and every problem of it, field by field. */
export function changeValues(form: Form, { current, named, hasInstance, isWhole }: Change): Merged {
  const fields = new Map(form.fields.map((field) => [field.name, field]));
  const isDue = (name: string) => isWhole || Object.hasOwn(named, name);
  const required = form.fields.filter((field) => field.required && isDue(field.name)).map(({ name }) => name);

  const check = (name: string, raw: Json): Checked => {
    const field = fields.get(name);
    if (field === undefined) return { problem: `is not a field of the form "${form.idForm}"` };
    const checked = checkValue(field, raw);
    if (field.reference === undefined || 'problem' in checked || checked.value === undefined) return checked;
    if (hasInstance(field.reference, Number(checked.value))) return checked;
    return { problem: `must be the idInstance of an existing "${field.reference}"` };
  };
  return mergeValues({ current, named, required, check });
}

/** What a full update keeps of the current values: those of required fields. */
export function requiredValues(form: Form, current: Values): Values {
  const kept = form.fields.filter(({ required }) => required).map(({ name }) => [name, current[name]] as const);
  return Object.fromEntries(kept.filter((entry): entry is readonly [string, Value] => entry[1] !== undefined));
}
