import { evaluateFeel, FeelError, feelContext, fromFeelValue } from '../feel.ts';
import type { Json } from '../json.ts';
import type { Rule } from '../model.ts';
import { checkValue } from '../values/check-value.ts';
import type { Values } from '../values/merge-values.ts';

/**
 * A rule's output parameters, as the interface's ParametersList.
 *
 * @throws {FeelError} when an expression fails, or gives what its output does not declare.
 */
export function runRule(rule: Rule, inputs: Values): Json {
  const context = feelContext(rule.inputs, inputs);
  return rule.outputs.map(({ name, type, required, expression }) => {
    const value = fromFeelValue(evaluateFeel(expression, context));
    if (value === null && !required) return { name, type, value };
    const checked = value === undefined || value === null ? undefined : checkValue({ type }, value);
    if (checked !== undefined && 'value' in checked) return { name, type, value: checked.value };
    throw new FeelError(`The output "${name}" of ${rule.cdComponent}-${rule.cdVersion} is no ${type}.`);
  });
}
