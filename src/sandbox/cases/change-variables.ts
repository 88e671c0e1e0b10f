import type { Json, JsonObject } from '../json.ts';
import type { Activity, Process } from '../model.ts';
import { checkValue } from '../values/check-value.ts';
import { type Merged, mergeValues, type Values } from '../values/merge-values.ts';

interface Change {
  readonly current: Values;
  readonly named: JsonObject;
  /** The activity that is executed; none when the case starts. */
  readonly activity?: Activity;
}

/** A case's values after a change, and every problem of it. */
export function changeVariables({ variables }: Process, { current, named, activity }: Change): Merged {
  const always = variables.filter(({ required }) => required).map(({ name }) => name);
  const required = [...new Set([...always, ...(activity?.requires ?? [])])];
  const check = (name: string, raw: Json) => {
    const variable = variables.find((each) => each.name === name);
    return variable === undefined ? { problem: 'is not a variable of this process' } : checkValue(variable, raw);
  };
  return mergeValues({ current, named, required, check });
}
