import type { Dialect } from '../../upstream/dialect.ts';
import { kindOf } from '../../upstream/reading/form.ts';
import type { ParameterRecord, RuleKey, RuleRecord } from '../../upstream/records.ts';
import { describeField } from '../describe.ts';
import { nameFields } from '../names/field-names.ts';
import { nameRule } from '../names/rule-name.ts';
import { shapeOf, type TypedField } from '../typed-form.ts';
import type { RuleDefinitions, RuleProblem, TypedRule } from './typed-rule.ts';

/** What rules were mapped to. */
interface MappedRules {
  readonly rules: readonly TypedRule[];
  readonly problems: readonly RuleProblem[];
}

/** Maps the rules that are wanted. One that cannot be mapped is left out and said to be a problem. */
export function mapRules({ wanted, known }: RuleDefinitions, dialect: Dialect): MappedRules {
  const mapped = wanted.map((key): TypedRule | RuleProblem => {
    const record = known.find(({ component, version }) => component === key.component && version === key.version);
    return record
      ? mapRule(record, dialect)
      : { rule: wordRule(key), reason: 'the platform does not tell its parameters' };
  });
  return {
    rules: mapped.filter((one) => 'key' in one),
    problems: mapped.filter((one) => 'reason' in one),
  };
}

function mapRule({ component, version, descriptiveName, name, parameters }: RuleRecord, dialect: Dialect) {
  const key = { component, version };
  const names = parameters.map((parameter) => parameter.name);
  const twice = names.find((one, index) => names.indexOf(one) !== index);
  if (twice !== undefined)
    return { rule: wordRule(key), field: twice, reason: 'the rule has two parameters of this name' };
  const given = nameFields(names, []);
  return {
    key,
    name: nameRule(key),
    title: descriptiveName ?? name ?? component,
    parameters: parameters.map((parameter) => toField(parameter, given.get(parameter.name) ?? parameter.name, dialect)),
  };
}

function toField({ name: platformName, type }: ParameterRecord, name: string, { form }: Dialect): TypedField {
  const record = { name: platformName, type, kind: kindOf(type, form) };
  const shape = shapeOf(record, undefined);
  return { name, record, shape, description: describeField({ name, record, shape }) };
}

const wordRule = ({ component, version }: RuleKey): string => `${component}@${version}`;
