import { GraphQLID, type GraphQLInputType } from 'graphql';

import type { TypedField } from '../typed-form.ts';
import type { TypeBasis } from './basis.ts';
import type { EnumOf } from './enums.ts';

interface InputTypeParts {
  readonly basis: TypeBasis;
  readonly enumOf: EnumOf;
}

/** Gives the type that a field's values have in an input, `null` allowed. */
export function inputTypeOf(field: TypedField, { basis, enumOf }: InputTypeParts): GraphQLInputType {
  const { kind } = field.shape;
  if (kind === 'reference') return GraphQLID;
  return enumOf(field) ?? basis.scalars[kind === 'choice' ? 'text' : kind];
}
