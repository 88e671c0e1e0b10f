import { readParameters } from '../changes.ts';
import { runRule } from '../feel.ts';
import type { Rule } from '../model.ts';
import type { Platform } from '../platform.ts';
import { requirePermission } from './access.ts';
import { badRequest } from './errors.ts';
import { acceptValues, type Call, type Operation, readBody } from './operation.ts';

/** `getParameters` and `execute`. A rule's path segment is its component and version, joined by one hyphen. */
export function ruleOperations({ definitions, changes }: Platform): readonly Operation[] {
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
      // A PUT, but a read: it changes nothing, so it can be answered with 304.
      name: 'getParameters',
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
    {
      name: 'execute',
      method: 'PUT',
      url: '/v1.0/rules/:rule/execute',
      run(call) {
        const rule = openRule(call, 'execute');
        const list = readBody(call);
        if (!Array.isArray(list)) throw badRequest('MALFORMED_BODY', 'The body must be an array of parameters.');
        const values = acceptValues(readParameters(rule, list), 'INVALID_PARAMETERS');
        return { status: 200, body: () => runRule(rule, values) };
      },
    },
  ];
}
