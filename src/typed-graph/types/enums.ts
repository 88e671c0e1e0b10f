import type { GraphQLEnumType } from 'graphql';

import type { TypedField, TypedForm } from '../typed-form.ts';
import { createChoiceType } from './choice-type.ts';

/** Gives the enum of a field's choices; `undefined` for a field that is no choice. */
export type EnumOf = (field: TypedField) => GraphQLEnumType | undefined;

/** Makes the enums of a form. */
export function createEnums(form: TypedForm): EnumOf {
  const enums = new Map(
    form.fields.flatMap((field) =>
      field.shape.kind === 'choice' ? [[field.name, createChoiceType(field.shape.choices, field, form)] as const] : [],
    ),
  );
  return ({ name }) => enums.get(name);
}
