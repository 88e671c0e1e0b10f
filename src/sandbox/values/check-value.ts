import type { Json } from '../json.ts';
import type { ValueType } from '../model.ts';
import { READERS, type Value } from './value-type.ts';

/** What is known of a value before it is seen: a field, a variable or a parameter. */
export interface ValueShape {
  readonly type: ValueType;
  readonly options?: readonly string[] | undefined;
  readonly maxLength?: number | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** The value to keep, `undefined` for an empty one; or a problem worded to follow the name: "must be …". */
export type Checked = { readonly value: Value | undefined } | { readonly problem: string };

/** Checks one value of a body. `null` is empty, in every type. */
export function checkValue(shape: ValueShape, raw: Json): Checked {
  if (raw === null) return { value: undefined };
  const value = READERS[shape.type].read(raw);
  if (value === undefined) return { problem: `must be ${READERS[shape.type].expects}` };
  const problem = violation(shape, value);
  return problem === undefined ? { value } : { problem };
}

function violation({ options, maxLength, min, max }: ValueShape, value: Value): string | undefined {
  if (options?.some((option) => option === value) === false) return `must be one of ${options.join(', ')}`;
  if (typeof value === 'boolean') return undefined;
  if (typeof value === 'string') {
    return maxLength !== undefined && value.length > maxLength
      ? `must have at most ${maxLength} characters`
      : undefined;
  }
  if (min !== undefined && value < min) return `must be at least ${min}`;
  if (max !== undefined && value > max) return `must be at most ${max}`;
  return undefined;
}
