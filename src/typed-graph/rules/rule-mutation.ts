import { GraphQLNonNull } from 'graphql';

import type { JsonObject } from '../../upstream/json.ts';
import { createValuesInput } from '../inputs/values-input.ts';
import { type GivenValues, toInputFields, writeValues } from '../inputs/write-values.ts';
import { capitalize } from '../names/words.ts';
import type { TypedField } from '../typed-form.ts';
import type { TypeBasis } from '../types/basis.ts';
import type { GenericChange } from '../types/generic-change.ts';
import { createChange, type MutationField } from '../types/typed-change.ts';
import { inputTypeOf } from '../types/value-type.ts';
import type { TypedRule } from './typed-rule.ts';

interface RuleParts {
  readonly basis: TypeBasis;
  /** The generic `executeRule`. */
  readonly generic: GenericChange;
}

/** Makes the mutation that executes a rule, with an input of its parameters. */
export function createRuleMutation(rule: TypedRule, { basis, generic }: RuleParts): MutationField {
  const { key, title } = rule;
  const name = `execute${rule.name}`;
  const typeOf = (field: TypedField) => inputTypeOf(field, { basis, enumOf: () => undefined });
  const fields = toInputFields(rule.parameters, { dialect: basis.dialect, typeOf });
  const type = createValuesInput(fields, {
    name: `${capitalize(name)}ParametersInput`,
    description: `Input parameters of the rule “${title}”. Which of them it needs is the platform’s to say.`,
    isWhole: false,
  });
  const { component: _component, version: _version, parameters, ...rest } = generic.input;
  const typed = parameters && type && { parameters: { ...parameters, type: new GraphQLNonNull(type) } };
  const types = new Map(rule.parameters.map(({ record }) => [record.name, record.type]));
  const toList = (values: JsonObject) =>
    Object.entries(values).map(([parameter, value]) => ({ name: parameter, type: types.get(parameter), value }));

  return createChange(generic, {
    name,
    description: `Executes the rule “${title}”, version ${key.version}. Never repeated by the gateway, since a rule may have effects.\n\nSource: \`execute\` of \`${key.component}\`, a PUT. One upstream call.`,
    input: { ...typed, ...rest },
    payload: generic.payload,
    toGeneric: ({ parameters: given, ...others }) => {
      const values = writeValues(fields, (given ?? {}) as GivenValues, ['input', 'parameters']);
      return { ...others, ...key, parameters: toList(values) };
    },
  });
}
