import { type GraphQLEnumType, GraphQLID, type GraphQLInputType, type GraphQLScalarType } from 'graphql';

import type { Shape, TypedField } from '../typed-form.ts';
import type { TypeBasis } from './basis.ts';
import type { EnumOf } from './enums.ts';

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
