import { evaluate, parseDate, parseDateTime, toFeel } from 'feelin';

import type { Json } from './json.ts';
import type { Activity, Process, Rule, ValueType } from './model.ts';
import { checkValue, type Value, type Values } from './values.ts';

interface Declared {
  readonly name: string;
  readonly type: ValueType;
}

/** The failure of an expression. Its message is for the log, not for clients. */
class FeelError extends Error {
  override readonly name = 'FeelError';
}

/**
 * Returns a rule's output parameters, as the interface's ParametersList.
 *
 * @throws {FeelError} when an expression fails or its value does not have the output's type.
 */
export function runRule(rule: Rule, inputs: Values): Json {
  const context = contextOf(rule.inputs, inputs);
  return rule.outputs.map(({ name, type, required, expression }) => {
    const value = toJson(evaluateStrictly(expression, context));
    if (value === null && !required) return { name, type, value };
    const checked = value === undefined || value === null ? undefined : checkValue({ type }, value);
    if (checked !== undefined && 'value' in checked) return { name, type, value: checked.value };
    throw new FeelError(
      `The output "${name}" of ${rule.cdComponent}-${rule.cdVersion} is not of type ${type}.`,
    );
  });
}

/**
 * Returns the activity that follows `activity` for these values, or `undefined` if the case is
 * completed.
 */
export function nextActivity(
  { variables }: Process,
  { next }: Activity,
  values: Values,
): bigint | undefined {
  const context = contextOf(variables, values);
  // A comparison with an empty value is `null` in FEEL, and `null` does not apply.
  const taken = next.find(
    ({ when }) => when === undefined || evaluate(when, context).value === true,
  );
  return taken === undefined || taken.to === 'end' ? undefined : taken.to;
}

/** Returns the problem of an expression (invalid syntax or an undeclared name), or `undefined`. */
export function expressionProblem(
  expression: string,
  declared: readonly Declared[],
): string | undefined {
  const samples = Object.fromEntries(declared.map(({ name, type }) => [name, SAMPLES[type]]));
  try {
    const { warnings } = evaluate(expression, contextOf(declared, samples));
    return warnings.find(({ type }) => type === 'NO_VARIABLE_FOUND' || type === 'NO_FUNCTION_FOUND')
      ?.message;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function evaluateStrictly(expression: string, context: Readonly<Record<string, unknown>>): unknown {
  try {
    const { value, warnings } = evaluate(expression, context);
    // FEEL turns every failure into `null` and a warning. A `null` without a warning is intended.
    if (value === null && warnings.length > 0) {
      throw new FeelError(warnings.map(({ message }) => message).join('; '));
    }
    return value;
  } catch (error) {
    if (error instanceof FeelError) throw error;
    throw new FeelError(`"${expression}" cannot be evaluated`, { cause: error });
  }
}

/** Returns every declared name with its value. An empty value is `null`. */
const contextOf = (declared: readonly Declared[], values: Values) =>
  Object.fromEntries(declared.map(({ name, type }) => [name, toFeelValue(type, values[name])]));

function toFeelValue(type: ValueType, value: Value | undefined): unknown {
  if (value === undefined) return null;
  if (type === 'date') return parseDate(String(value));
  if (type === 'datetime') return parseDateTime(String(value));
  // This FEEL library computes in doubles. Beyond 2^53 a condition sees the nearest double; the
  // stored value keeps its digits.
  return typeof value === 'bigint' ? Number(value) : toFeel(value);
}

/**
 * Converts dates to text and rounds a number to 15 digits, so that 0.1 + 0.2 is 0.3. Returns
 * `undefined` for other types.
 */
function toJson(result: unknown): string | number | boolean | null | undefined {
  if (typeof result === 'number') return Number(result.toPrecision(15));
  if (result === null || typeof result === 'string' || typeof result === 'boolean') return result;
  return typeof result === 'object' && 'iso' in result ? String(result) : undefined;
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
