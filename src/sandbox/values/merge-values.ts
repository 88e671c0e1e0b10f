import type { Json, JsonObject } from '../json.ts';
import type { Checked } from './check-value.ts';
import type { Value } from './value-type.ts';

/** Values by the name of their field, variable or parameter; an empty one is absent. */
export type Values = Readonly<Record<string, Value>>;

export interface Problem {
  readonly field: string;
  /** Follows the field's name: "must be …". */
  readonly problem: string;
}

export interface Merged {
  readonly values: Values;
  readonly problems: readonly Problem[];
}

interface Merge {
  readonly current: Values;
  /** What the caller names. `null` empties. */
  readonly named: JsonObject;
  /** Names that must have a value afterwards. */
  readonly required: readonly string[];
  check(name: string, raw: Json): Checked;
}

/** The current values with the named ones laid over them, and every problem at once. */
export function mergeValues({ current, named, required, check }: Merge): Merged {
  const values: Record<string, Value> = { ...current };
  const problems: Problem[] = [];
  for (const [field, raw = null] of Object.entries(named)) {
    const checked = check(field, raw);
    if ('problem' in checked) problems.push({ field, problem: checked.problem });
    else if (checked.value === undefined) delete values[field];
    else values[field] = checked.value;
  }
  const broken = new Set(problems.map(({ field }) => field));
  const missing = required.filter((field) => !broken.has(field) && isEmpty(values[field]));
  return { values, problems: [...problems, ...missing.map((field) => ({ field, problem: 'is required' }))] };
}

/** Several problems as one sentence. */
export const describeProblems = (problems: readonly Problem[]) =>
  problems.map(({ field, problem }) => `"${field}" ${problem}`).join('; ');

const isEmpty = (value: Value | undefined) => value === undefined || value === '';
