import { runRule } from '../feel.ts';
import { requirePermission } from '../http/access.ts';
import { badRequest } from '../http/errors.ts';
import {
  acceptValues,
  type Call,
  type Operations,
  type Platform,
  readBody,
} from '../http/operation.ts';
import { isJsonObject, type Json } from '../json.ts';
import type { Rule, Variable } from '../model.ts';
import { type Checked, checkValue, type Merged, mergeValues, type Problem } from '../values.ts';

/**
 * Returns the operations on rules, which come from the definitions. A rule's path segment is its
 * component and version, joined by one hyphen.
 */
export function ruleOperations({ definitions, changes }: Platform) {
  const openRule = ({ user, params }: Call, action: 'read' | 'execute'): Rule => {
    const { rule: id = '' } = params;
    const rule = definitions.rules.get(id);
    if (rule === undefined) throw badRequest('RULE_NOT_FOUND', `There is no rule "${id}".`);
    requirePermission(user, 'rules', { id, action });
    if (!rule.published)
      throw badRequest('RULE_NOT_PUBLISHED', `The rule "${id}" is not published.`);
    if (rule.publishedForRest) return rule;
    throw badRequest(
      'RULE_NOT_PUBLISHED_FOR_REST',
      `The rule "${id}" is not published for the REST API.`,
    );
  };

  return {
    // A PUT that changes nothing, so it can be answered with 304.
    getParameters: {
      method: 'PUT',
      url: '/v1.0/rules/:rule/get-parameters',
      run(call) {
        const rule = openRule(call, 'read');
        const { cdComponent: name, cdVersion: version, descriptiveName } = rule;
        const parameters = rule.inputs.map((input) => ({ name: input.name, type: input.type }));
        const body = { name, version, descriptiveName, parameters };
        return { status: 200, changedAtMs: changes.ruleAtMs(rule), body: () => body };
      },
    },
    execute: {
      method: 'PUT',
      url: '/v1.0/rules/:rule/execute',
      run(call) {
        const rule = openRule(call, 'execute');
        const list = readBody(call);
        if (!Array.isArray(list))
          throw badRequest('MALFORMED_BODY', 'The body must be an array of parameters.');
        const values = acceptValues(readParameters(rule, list), 'INVALID_PARAMETERS');
        return { status: 200, body: () => runRule(rule, values) };
      },
    },
  } satisfies Operations;
}

interface Parameter {
  readonly type: Json | undefined;
  readonly value: Json;
}

/**
 * Returns a rule's inputs from the body's ParametersList, and every problem, each with its
 * parameter.
 */
function readParameters(rule: Rule, list: readonly Json[]): Merged {
  const parameters = new Map<string, Parameter>();
  const problems: Problem[] = [];
  for (const [index, parameter] of list.entries()) {
    const { name, type, value = null } = isJsonObject(parameter) ? parameter : {};
    if (typeof name !== 'string') {
      problems.push({ field: `parameter ${index + 1}`, problem: 'has no name' });
    } else if (parameters.has(name)) {
      problems.push({ field: name, problem: 'is given twice' });
    } else {
      parameters.set(name, { type, value });
    }
  }

  const merged = mergeValues({
    current: {},
    named: Object.fromEntries([...parameters].map(([name, { value }]) => [name, value])),
    required: rule.inputs.filter(({ required }) => required).map(({ name }) => name),
    check(name, value) {
      const input = rule.inputs.find((each) => each.name === name);
      if (input === undefined) return { problem: 'is not an input of this rule' };
      return checkParameter(input, { type: parameters.get(name)?.type, value });
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
