import { isJsonObject, type Json, type JsonObject } from './json.ts';
import type { Activity, Form, Process, Rule, Variable } from './model.ts';
import { type Checked, checkValue, type Merged, mergeValues, type Problem, type Value, type Values } from './values.ts';

/** Whether a form has an instance; references are checked by it. */
export type HasInstance = (idForm: string, idInstance: number) => boolean;

interface InstanceChange {
  /** The instance's values now; none for a new one. */
  readonly current: Values;
  readonly named: JsonObject;
  readonly hasInstance: HasInstance;
  /** Whether required fields that are not named must have a value as well. */
  readonly isWhole: boolean;
}

/** An instance's values after a change, and every problem of it, field by field. */
export function changeInstance(form: Form, { current, named, hasInstance, isWhole }: InstanceChange): Merged {
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
export function requiredValues({ fields }: Form, current: Values): Values {
  const kept = fields.filter(({ required }) => required).map(({ name }) => [name, current[name]] as const);
  return Object.fromEntries(kept.filter((entry): entry is readonly [string, Value] => entry[1] !== undefined));
}

interface CaseChange {
  readonly current: Values;
  readonly named: JsonObject;
  /** The activity that is executed; none when the case starts. */
  readonly activity?: Activity;
}

/** A case's variables after a change, and every problem of it. */
export function changeVariables({ variables }: Process, { current, named, activity }: CaseChange): Merged {
  const always = variables.filter(({ required }) => required).map(({ name }) => name);
  const required = [...new Set([...always, ...(activity?.requires ?? [])])];
  const check = (name: string, raw: Json) => {
    const variable = variables.find((each) => each.name === name);
    return variable === undefined ? { problem: 'is not a variable of this process' } : checkValue(variable, raw);
  };
  return mergeValues({ current, named, required, check });
}

interface Parameter {
  readonly type: Json | undefined;
  readonly value: Json;
}

/** A rule's inputs from the body's ParametersList, and every problem of it, each naming its parameter. */
export function readParameters(rule: Rule, list: readonly Json[]): Merged {
  const given = new Map<string, Parameter>();
  const problems: Problem[] = [];
  for (const [index, parameter] of list.entries()) {
    const { name, type, value = null } = isJsonObject(parameter) ? parameter : {};
    if (typeof name !== 'string') problems.push({ field: `parameter ${index + 1}`, problem: 'has no name' });
    else if (given.has(name)) problems.push({ field: name, problem: 'is given twice' });
    else given.set(name, { type, value });
  }

  const merged = mergeValues({
    current: {},
    named: Object.fromEntries([...given].map(([name, { value }]) => [name, value])),
    required: rule.inputs.filter(({ required }) => required).map(({ name }) => name),
    check(name, value) {
      const input = rule.inputs.find((each) => each.name === name);
      if (input === undefined) return { problem: 'is not an input of this rule' };
      return checkParameter(input, { type: given.get(name)?.type, value });
    },
  });
  return { values: merged.values, problems: [...problems, ...merged.problems] };
}

function checkParameter(input: Variable, { type, value }: Parameter): Checked {
  if (type !== undefined && type !== input.type) return { problem: `is of type ${input.type}` };
  const checked = checkValue(input, value);
  // FEEL computes in doubles here, so it would compute with rounded digits.
  const isTooLong = 'value' in checked && typeof checked.value === 'bigint';
  return isTooLong ? { problem: 'is beyond ±(2^53 − 1), where rules cannot compute' } : checked;
}
