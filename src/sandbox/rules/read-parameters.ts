import { isJsonObject, type Json } from '../json.ts';
import type { Rule, Variable } from '../model.ts';
import { type Checked, checkValue } from '../values/check-value.ts';
import { type Merged, mergeValues, type Problem } from '../values/merge-values.ts';

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
  // FEEL computes in doubles here: an answer about other digits would be an answer to another question.
  const isTooLong = 'value' in checked && typeof checked.value === 'bigint';
  return isTooLong ? { problem: 'is beyond ±(2^53 − 1), where rules cannot compute' } : checked;
}
