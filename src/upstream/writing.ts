import type { Dialect } from './dialect.ts';
import type { Json, JsonObject } from './json.ts';
import type { ParameterRecord } from './records.ts';

/**
 * Writes values in the dialect's shape: an object under `member`, the values alone, or a sequence of name and value.
 */
export function writeValues(
  values: JsonObject,
  shape: Dialect['instance']['written'],
  member: string,
  { instance }: Dialect,
): Json {
  if (shape === 'flat') return values;
  if (shape === 'values') return Object.fromEntries([[member, values]]);
  return Object.entries(values).map(([name, value]) =>
    Object.fromEntries([
      [instance.entryName, name],
      [instance.entryValue, value],
    ]),
  );
}

/** Writes ParametersList: an array of name, type and value, wrapped where the platform wants an object. */
export function writeParameters(parameters: readonly ParameterRecord[], { rule }: Dialect): Json {
  const list = parameters.map(({ name, type, value }) =>
    Object.fromEntries<Json>([
      [rule.parameterName, name],
      ...(type === undefined ? [] : [[rule.parameterType, type] as const]),
      [rule.parameterValue, value ?? null],
    ]),
  );
  return rule.wrap === null ? list : Object.fromEntries([[rule.wrap, list]]);
}
