import type { GraphQLSchema } from 'graphql';

import type { Json } from '../core/json.ts';
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

/** The record and the names of a field, and its place in an operation. */
interface FieldSource {
  readonly field: FieldRecord;
  readonly names: FieldGraphNames | undefined;
  readonly context: OperationContext;
  readonly info: SchemaInfo | undefined;
}

/** A field of a form as the graph shows it. Its definition is decoded if a part is selected. */
export class FormFieldView {
  readonly name: string;
  readonly label: string | undefined;
  readonly type: string | undefined;
  readonly required: boolean | undefined;
  readonly isMultiple: boolean | undefined;
  readonly graphqlName: string | undefined;
  readonly #source: FieldSource;

  constructor(source: FieldSource) {
    const { field, names } = source;
    this.name = field.name;
    this.label = field.label;
    this.type = field.type;
    this.required = field.required;
    this.isMultiple = field.isMultiple;
    this.graphqlName = names?.name;
    this.#source = source;
  }

  get #definition(): FieldDefinition {
    const { field, context } = this.#source;
    return decodeWith(context.dialect)(field);
  }

  get description(): string | undefined {
    return this.#definition.description;
  }

  get unit(): string | undefined {
    return this.#definition.unit;
  }

  get min(): number | undefined {
    return this.#definition.min;
  }

  get max(): number | undefined {
    return this.#definition.max;
  }

  get maxLength(): number | undefined {
    return this.#definition.maxLength;
  }

  get default(): Json | undefined {
    return this.#definition.default;
  }

  get options(): readonly object[] | undefined {
    const { names } = this.#source;
    return this.#definition.choices?.map((choice) => {
      const value = String(choice.value);
      return { value, label: choice.label, enumValue: names?.choices?.get(value)?.name };
    });
  }

  get reference(): object | undefined {
    const { field, context, info } = this.#source;
    const { reference: formId } = field;
    if (formId === undefined) return undefined;
    return { formId, typeName: namesOfForm(formId, context, info)?.typeName };
  }
}

/** Decodes each cached field once. */
const decodeWith = oncePer((dialect: Dialect) =>
  oncePer((field: FieldRecord) => decodeFieldDefinition(field, dialect.form)),
);
