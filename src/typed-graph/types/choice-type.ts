import { GraphQLEnumType } from 'graphql';

import type { Choices, TypedField, TypedForm } from '../typed-form.ts';

/** Makes the enum of a field's choices. Each value's description says what the platform has for it. */
export function createChoiceType({ enumName, byText }: Choices, { record }: TypedField, { title }: TypedForm) {
  const values = [...byText.values()].map(({ name, value, label }) => {
    const text = JSON.stringify(value);
    return [name, { value, description: label === undefined ? text : `${label}: ${text}` }] as const;
  });
  return new GraphQLEnumType({
    name: enumName,
    description: `The values of ${record.label ?? record.name} of ${title}, each with the platform’s own.`,
    values: Object.fromEntries(values),
  });
}
