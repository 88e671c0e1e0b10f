import type { GraphQLSchema } from 'graphql';

import { oncePer } from '../core/once-per.ts';
import type { Dialect } from '../upstream/dialect.ts';
import { decodeFieldDefinition, type FieldDefinition } from '../upstream/field-definition.ts';
import type { FieldRecord } from '../upstream/records.ts';
import type { OperationContext } from './context.ts';

/** The names of a form in the graph. */
export interface FormGraphNames {
  /** The name of its type. */
  readonly typeName: string;
  /** The names of its fields, by the platform's names. */
  readonly fields: ReadonlyMap<string, FieldGraphNames>;
}

interface FieldGraphNames {
  readonly name: string;
  /** The names of its choices, by the texts of the platform's values. */
  readonly choices?: ReadonlyMap<string, { readonly name: string }> | undefined;
  /** The form that a reference leads to. */
  readonly reference?: string | undefined;
}

declare module 'graphql' {
  interface GraphQLSchemaExtensions {
    /** The names of the forms that have types, by form id. */
    readonly formNames?: ReadonlyMap<string, FormGraphNames>;
  }
}

/** The part of GraphQL's `info` that resolvers get. */
export interface SchemaInfo {
  readonly schema: GraphQLSchema;
}

/** Returns a form's names. `undefined` if it has no type, or if the caller may not see it. */
export function namesOfForm(formId: string, { scope }: OperationContext, info?: SchemaInfo) {
  const mayLook = scope.permissions?.mayLookAt(formId) ?? true;
  return mayLook ? info?.schema.extensions.formNames?.get(formId) : undefined;
}

/** A field of a form as the graph shows it. Its options are created when they are selected. */
export interface FormFieldView extends Omit<FieldDefinition, 'options' | 'reference'> {
  readonly graphqlName: string | undefined;
  options(): readonly object[] | undefined;
  reference(): object | undefined;
}

/** Creates the view of a field. @param names are the names of its form. */
export function toFieldView(
  field: FieldRecord,
  names: FormGraphNames | undefined,
  context: OperationContext,
  info: SchemaInfo | undefined,
): FormFieldView {
  const { choices, reference: formId, ...definition } = decodeWith(context.dialect)(field);
  const ownNames = names?.fields.get(field.name);
  const enumValueOf = (value: string) => ownNames?.choices?.get(value)?.name;
  return {
    ...definition,
    graphqlName: ownNames?.name,
    options: () =>
      choices?.map(({ value, label }) => {
        return { value: String(value), label, enumValue: enumValueOf(String(value)) };
      }),
    reference: () =>
      formId === undefined
        ? undefined
        : { formId, typeName: namesOfForm(formId, context, info)?.typeName },
  };
}

/** Decodes each cached field once. */
const decodeWith = oncePer((dialect: Dialect) =>
  oncePer((field: FieldRecord) => decodeFieldDefinition(field, dialect.form)),
);
