import { GraphQLInputObjectType, GraphQLNonNull } from 'graphql';

import type { InputField } from './write-values.ts';

interface ValuesOptions {
  readonly name: string;
  readonly description: string;
  /** Whether required fields must be given. */
  readonly isWhole: boolean;
}

/** Makes the input of values by field; `undefined` where there is no field, since no type can be without any. */
export function createValuesInput(
  fields: readonly InputField[],
  { name, description, isWhole }: ValuesOptions,
): GraphQLInputObjectType | undefined {
  if (fields.length === 0) return undefined;
  const configs = fields.map(({ name: field, record, config }) => {
    const isDue = isWhole && record.required === true;
    return [field, isDue ? { ...config, type: new GraphQLNonNull(config.type) } : config] as const;
  });
  return new GraphQLInputObjectType({ name, description, fields: Object.fromEntries(configs) });
}
