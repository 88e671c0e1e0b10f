import { evaluate, parseDate, parseDateTime, toFeel } from 'feelin';

import type { ValueType } from './model.ts';
import type { Value } from './values/value-type.ts';

/** Names and values that an expression can see. Every declared name is there; an empty one is `null`. */
export type FeelContext = Readonly<Record<string, unknown>>;

interface Declared {
  readonly name: string;
  readonly type: ValueType;
}

/** An expression that gave no value. Its message is for the log, not for a client. */
export class FeelError extends Error {
  override readonly name = 'FeelError';
}

/** What an expression gives: a FEEL value, `null` where it says so. @throws {FeelError} when it cannot be evaluated. */
export function evaluateFeel(expression: string, context: FeelContext): unknown {
  try {
    const { value, warnings } = evaluate(expression, context);
    // FEEL turns every failure into null and a warning; a null without a warning was meant.
    if (value === null && warnings.length > 0) throw new FeelError(warnings.map(({ message }) => message).join('; '));
    return value;
  } catch (error) {
    if (error instanceof FeelError) throw error;
    throw new FeelError(`"${expression}" cannot be evaluated`, { cause: error });
  }
}

/** Whether a condition is met. Over an empty value FEEL gives `null`, and null is not true. */
export const isMet = (condition: string, context: FeelContext) => evaluate(condition, context).value === true;

/** What is wrong with an expression over these names, or `undefined`: its syntax, or a name that nothing declares. */
export function feelProblem(expression: string, declared: readonly Declared[]): string | undefined {
  const sample = Object.fromEntries(declared.map(({ name, type }) => [name, toFeelValue(type, SAMPLES[type])]));
  try {
    const { warnings } = evaluate(expression, sample);
    return warnings.find(({ type }) => type === 'NO_VARIABLE_FOUND' || type === 'NO_FUNCTION_FOUND')?.message;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The context of an expression: each declared name with its value. */
export function feelContext(declared: readonly Declared[], values: Readonly<Record<string, Value>>): FeelContext {
  return Object.fromEntries(declared.map(({ name, type }) => [name, toFeelValue(type, values[name])]));
}

/** A FEEL result as JSON: dates become texts, and a sum like 0.1 + 0.2 loses the noise of its doubles. */
export function fromFeelValue(result: unknown): string | number | boolean | null | undefined {
  if (typeof result === 'number') return Number(result.toPrecision(15));
  if (result === null || typeof result === 'string' || typeof result === 'boolean') return result;
  return typeof result === 'object' && 'iso' in result ? String(result) : undefined;
}

function toFeelValue(type: ValueType, value: Value | undefined): unknown {
  if (value === undefined) return null;
  if (type === 'date') return parseDate(String(value));
  if (type === 'datetime') return parseDateTime(String(value));
  // FEEL computes in doubles here, so past 2^53 a condition sees the nearest one; what is kept keeps its digits.
  return typeof value === 'bigint' ? Number(value) : toFeel(value);
}

const SAMPLES = {
  text: 'text',
  choice: 'text',
  integer: 1,
  reference: 1,
  decimal: 1.5,
  boolean: true,
  date: '2026-01-31',
  datetime: '2026-01-31T09:30:00.000Z',
} as const satisfies Record<ValueType, Value>;
