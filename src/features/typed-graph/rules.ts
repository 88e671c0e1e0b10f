import { GraphQLNonNull } from 'graphql';
import { kindOf } from '../../upstream/decoders.ts';
import type { Dialect } from '../../upstream/dialect.ts';
import type { ParameterRecord, RuleKey, RuleRecord } from '../../upstream/records.ts';
import type { GenericChange, GenericTypes } from './generic-types.ts';
import { createValues } from './inputs.ts';
import { createChange, type MutationField } from './mutations.ts';
import type { ChangeNames } from './names.ts';
import { addSuffix, capitalize, nameFields, repeated, toPascal, wordsOf } from './names.ts';
import { describeField, type Problem, shapeOf, type TypedField } from './typed-form.ts';

/** A rule that has a mutation of its own. */
interface TypedRule {
  readonly key: RuleKey;
  readonly names: ChangeNames;
  /** The display name. */
  readonly title: string;
  /** Its input parameters. */
  readonly parameters: readonly TypedField[];
}

interface RuleOptions {
  readonly keys: readonly RuleKey[];
  /** What the platform says of them. */
  readonly known: readonly RuleRecord[];
  readonly dialect: Dialect;
  /** Names that the rest of the graph has. */
  readonly taken: ReadonlySet<string>;
}

/** Maps the configured rules. One that cannot be mapped is left out and said to be a problem. */
export function mapRules({ keys, known, dialect, taken }: RuleOptions) {
  const twice = repeated(keys.flatMap((key) => Object.values(namesOf(stemOf(key)))));
  const isFree = (name: string) => !taken.has(name) && !taken.has(`Mutation.${name}`) && !twice.has(name);

  const mapped = keys.map((key): TypedRule | Problem => {
    const record = known.find(({ component, version }) => component === key.component && version === key.version);
    if (record === undefined)
      return { of: 'rule', id: describeRule(key), reason: 'the platform does not tell its parameters' };
    const names = namesOf(stemOf(key));
    const given = Object.values(names).every(isFree)
      ? names
      : namesOf(addSuffix(stemOf(key), key.component, key.version));
    return mapRule(record, given, dialect);
  });
  return {
    rules: mapped.filter((one) => 'key' in one),
    problems: mapped.filter((one) => 'reason' in one),
  };
}

/** Such as `ApprovalLevelV1_0`. */
const stemOf = ({ component, version }: RuleKey): string =>
  `${toPascal(wordsOf(component), 'Rule')}V${wordsOf(version).join('_')}`;

function namesOf(stem: string): ChangeNames {
  const field = `execute${stem}`;
  const type = capitalize(field);
  return { field, input: `${type}Input`, payload: `${type}Payload`, values: `${type}ParametersInput` };
}

function mapRule(record: RuleRecord, names: ChangeNames, dialect: Dialect): TypedRule | Problem {
  const { component, version, descriptiveName, name, parameters } = record;
  const key = { component, version };
  const parameterNames = parameters.map((parameter) => parameter.name);
  const twice = parameterNames.find((one, index) => parameterNames.indexOf(one) !== index);
  if (twice !== undefined)
    return { of: 'rule', id: describeRule(key), field: twice, reason: 'the rule has two parameters of this name' };
  const given = nameFields(
    parameters.map((parameter) => ({ name: parameter.name })),
    { own: [] },
  );
  return {
    key,
    names,
    title: descriptiveName ?? name ?? component,
    parameters: parameters.map((parameter) => toField(parameter, given.get(parameter.name) ?? parameter.name, dialect)),
  };
}

function toField({ name: platformName, type }: ParameterRecord, name: string, { form }: Dialect): TypedField {
  const record = { name: platformName, type, kind: kindOf(type, form) };
  const shape = shapeOf(record, undefined);
  return { name, record, shape, description: describeField({ name, record, shape }) };
}

const describeRule = ({ component, version }: RuleKey): string => `${component}@${version}`;

/** Makes the mutation that executes a rule, with an input of its parameters; `generic` is `executeRule`. */
export function createRuleMutation(rule: TypedRule, genericTypes: GenericTypes, generic: GenericChange): MutationField {
  const { key, title, names } = rule;
  const { types } = genericTypes;
  const values = createValues(rule.parameters, types, ({ shape }) => types[shape.kind].type);
  const type = values.inputOf({
    name: names.values,
    description: `Input parameters of the rule “${title}”. The platform decides which of them are required.`,
    isWhole: false,
  });
  const { component: _component, version: _version, parameters, ...rest } = generic.input;
  const typed = parameters && type && { parameters: { ...parameters, type: new GraphQLNonNull(type) } };
  const platformTypes = new Map(rule.parameters.map(({ record }) => [record.name, record.type]));

  return createChange(generic, {
    names,
    ids: key,
    description: `Executes the rule “${title}”, version ${key.version}. Never retried by the gateway, since a rule may have effects.\n\nSource: \`execute\` of \`${key.component}\`, a PUT. One upstream call.`,
    input: { ...typed, ...rest },
    payload: generic.payload,
    toGeneric: ({ parameters: given, ...others }) => {
      const written = Object.entries(values.write(given, 'parameters'));
      const list = written.map(([parameter, value]) => ({
        name: parameter,
        type: platformTypes.get(parameter),
        value,
      }));
      return { ...others, ...key, parameters: list };
    },
  });
}
