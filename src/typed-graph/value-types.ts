import { GraphQLEnumType, GraphQLID, type GraphQLInputType, type GraphQLScalarType } from 'graphql';

import type { TypeBasis } from './basis.ts';
import type { Choices, Shape, TypedField, TypedForm } from './typed-form.ts';

interface ValueTypeParts {
  readonly basis: TypeBasis;
  readonly enumOf: EnumOf;
}

/** Gives the type that a field's values have in an input, `null` allowed. */
export function inputTypeOf(field: TypedField, parts: ValueTypeParts): GraphQLInputType {
  const { kind } = field.shape;
  return kind === 'reference' ? GraphQLID : leafTypeOf(field, kind, parts);
}

/** Gives the type of the values of a field that refers to nothing: the same in inputs and in answers. */
export function leafTypeOf(
  field: TypedField,
  kind: Exclude<Shape['kind'], 'reference'>,
  { basis, enumOf }: ValueTypeParts,
): GraphQLEnumType | GraphQLScalarType {
  return enumOf(field) ?? basis.scalars[kind === 'choice' ? 'text' : kind];
}

/** Gives the enum of a field's choices; `undefined` for a field that is no choice. */
export type EnumOf = (field: TypedField) => GraphQLEnumType | undefined;

/** Makes the enums of a form. */
export function createEnums(form: TypedForm): EnumOf {
  const enums = new Map(
    form.fields.flatMap(({ name, shape, record }) => {
      const enumName = form.names.enums.get(name)?.type;
      if (shape.kind !== 'choice' || enumName === undefined) return [];
      const description = `The values of ${record.label ?? record.name} of ${form.title}, each with the platform’s own.`;
      return [[name, createChoiceType(shape.choices, { name: enumName, description })] as const];
    }),
  );
  return ({ name }) => enums.get(name);
}

/** Makes the enum of a field's choices. Each value's description says what the platform has for it. */
function createChoiceType(
  choices: Choices,
  { name, description }: { readonly name: string; readonly description: string },
) {
  const values = [...choices.values()].map(({ name: valueName, value, label }) => {
    const text = JSON.stringify(value);
    return [valueName, { value, description: label === undefined ? text : `${label}: ${text}` }] as const;
  });
  return new GraphQLEnumType({ name, description, values: Object.fromEntries(values) });
}
