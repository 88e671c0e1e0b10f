import { GraphQLNonNull } from 'graphql';
import { kindOf } from '../../upstream/decoders.ts';
import type { Dialect } from '../../upstream/dialect.ts';
import type { RuleKey, RuleRecord } from '../../upstream/records.ts';
import type { GenericChange, GenericTypes, RootField } from './generic-types.ts';
import { createValues } from './inputs.ts';
import { createChange } from './mutations.ts';
import {
  addSuffix,
  type ChangeNames,
  capitalize,
  nameFields,
  repeated,
  toPascal,
  wordsOf,
} from './names.ts';
import { mapField, type Problem, type TypedField } from './typed-form.ts';

/** A rule with its own mutation. */
interface TypedRule {
  readonly key: RuleKey;
  readonly names: ChangeNames;
  /** The display name. */
  readonly title: string;
  /** The input parameters. */
  readonly parameters: readonly TypedField[];
}

interface RuleOptions {
  readonly keys: readonly RuleKey[];
  /** The records that the platform has returned. */
  readonly known: readonly RuleRecord[];
  readonly dialect: Dialect;
  /** The names that the rest of the graph uses. */
  readonly taken: ReadonlySet<string>;
}

/**
 * Maps the configured rules to mutations. A rule that cannot be mapped is reported in `problems`.
 */
export function mapRules({ keys, known, dialect, taken }: RuleOptions) {
  const claimedTwice = repeated(keys.flatMap((key) => Object.values(namesOf(stemOf(key)))));
  const isFree = (name: string) =>
    !taken.has(name) && !taken.has(`Mutation.${name}`) && !claimedTwice.has(name);
  const rules: TypedRule[] = [];
  const problems: Problem[] = [];
  for (const key of keys) {
    const { component, version } = key;
    const record = known.find((one) => one.component === component && one.version === version);
    const [twice] = repeated(record?.parameters.map(({ name }) => name) ?? []);
    const problem = { of: 'rule', id: `${component}@${version}` } as const;
    if (record === undefined)
      problems.push({ ...problem, reason: 'the platform does not tell its parameters' });
    else if (twice)
      problems.push({
        ...problem,
        field: twice,
        reason: 'the rule has two parameters of this name',
      });
    else {
      const names = namesOf(stemOf(key));
      const isKept = Object.values(names).every(isFree);
      rules.push({
        key,
        names: isKept ? names : namesOf(addSuffix(stemOf(key), component, version)),
        title: record.descriptiveName ?? record.name ?? component,
        parameters: mapParameters(record, dialect),
      });
    }
  }
  return { rules, problems };
}

/** Returns the base name of a rule, such as `ApprovalLevelV1_0`. */
const stemOf = ({ component, version }: RuleKey): string =>
  `${toPascal(wordsOf(component), 'Rule')}V${wordsOf(version).join('_')}`;

function namesOf(stem: string): ChangeNames {
  const field = `execute${stem}`;
  const type = capitalize(field);
  return {
    field,
    input: `${type}Input`,
    payload: `${type}Payload`,
    values: `${type}ParametersInput`,
  };
}

function mapParameters({ parameters }: RuleRecord, { form }: Dialect): readonly TypedField[] {
  const names = nameFields(parameters.map(({ name }) => ({ name })));
  return parameters.map(({ name, type }) => {
    return mapField({ name, type, kind: kindOf(type, form) }, names.get(name) ?? name);
  });
}

/**
 * Creates the mutation that executes a rule, with an input of its parameters. `generic` is
 * `executeRule`.
 */
export function createRuleMutation(
  rule: TypedRule,
  genericTypes: GenericTypes,
  generic: GenericChange,
): RootField {
  const { key, title, names } = rule;
  const { types } = genericTypes;
  const values = createValues(rule.parameters, types, ({ shape }) => types[shape.kind].type);
  const type = values.inputOf({
    name: names.values,
    description: `Input parameters of the rule “${title}”. The platform decides which of them are required.`,
    isWhole: false,
  });
  const { component: _component, version: _version, parameters, ...rest } = generic.input;
  const typed = parameters &&
    type && { parameters: { ...parameters, type: new GraphQLNonNull(type) } };
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
