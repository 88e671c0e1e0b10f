import type { Rule } from '../model.ts';
import type { Platform } from '../platform.ts';
import { readParameters } from '../rules/read-parameters.ts';
import { runRule } from '../rules/run-rule.ts';
import { acceptValues } from './accept-values.ts';
import { badRequest } from './api-error.ts';
import { readBody } from './body.ts';
import type { Call, Operation } from './operation.ts';
import { requirePermission } from './permissions.ts';

/** `getParameters` and `execute`. A rule's path segment is its component and version, joined by one hyphen. */
export function ruleOperations({ definitions, changedAtMs }: Platform): readonly Operation[] {
  const openRule = ({ user, params }: Call, action: 'read' | 'execute'): Rule => {
    const { rule: id = '' } = params;
    const rule = definitions.rules.get(id);
    if (rule === undefined) throw badRequest('RULE_NOT_FOUND', `There is no rule "${id}".`);
    requirePermission(user, 'rules', { id, action });
    if (!rule.published) throw badRequest('RULE_NOT_PUBLISHED', `The rule "${id}" is not published.`);
    if (rule.publishedForRest) return rule;
    throw badRequest('RULE_NOT_PUBLISHED_FOR_REST', `The rule "${id}" is not published for the REST API.`);
  };

  return [
    {
      // A PUT, but a read: it changes nothing, so it can be answered by 304.
      name: 'getParameters',
      method: 'PUT',
      path: '/rules/:rule/get-parameters',
      answer(call) {
        const rule = openRule(call, 'read');
        const { cdComponent: name, cdVersion: version, descriptiveName } = rule;
        const parameters = rule.inputs.map((input) => ({ name: input.name, type: input.type }));
        return {
          status: 200,
          changedAtMs: changedAtMs.rule(rule),
          body: () => ({ name, version, descriptiveName, parameters }),
        };
      },
    },
    {
      name: 'execute',
      method: 'PUT',
      path: '/rules/:rule/execute',
      answer(call) {
        const rule = openRule(call, 'execute');
        const list = readBody(call.text);
        if (!Array.isArray(list)) throw badRequest('MALFORMED_BODY', 'The body must be an array of parameters.');
        const values = acceptValues(readParameters(rule, list), 'INVALID_PARAMETERS');
        return { status: 200, body: () => runRule(rule, values) };
      },
    },
  ];
}
