import { type Call, isObject, json, parseBody, Refusal, type Reply } from './wire.ts';

/** The one rule, component and version in the path's one segment. */
const RULE = 'toll-per-axle-3';
const EURO_PER_AXLE = 2.5;

/** The rule operations, by the interface's names. */
export const rules = {
  getParameters(rule: string): Reply {
    checkRule(rule);
    const inputParameters = [{ name: 'axles', type: 'integer' }];
    return json(200, { name: 'toll-per-axle', version: '3', descriptiveName: 'Toll per axle', inputParameters });
  },

  execute(rule: string, call: Call): Reply {
    checkRule(rule);
    const body = parseBody(call);
    const given = isObject(body) ? body['inputParameters'] : undefined;
    if (!Array.isArray(given)) throw new Refusal(400, 'PARAMETERS_UNREADABLE', 'There are no inputParameters.');
    const axles: unknown = given.filter(isObject).find(({ name }) => name === 'axles')?.['value'];
    if (typeof axles !== 'number') throw new Refusal(400, 'PARAMETER_INVALID', '"axles" must be a number.');
    return json(200, { outputParameters: [{ name: 'toll', type: 'decimal', value: axles * EURO_PER_AXLE }] });
  },
} as const;

function checkRule(rule: string): void {
  if (rule !== RULE) throw new Refusal(400, 'RULE_UNKNOWN', 'The rule does not exist or is not published.');
}
