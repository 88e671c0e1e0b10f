import type { GraphQLSchema } from 'graphql';

import type { Json } from '../core/json.ts';
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

/** Returns the names of a form; `undefined` if it has no type, or if the caller may not look at it. */
export function namesOfForm(formId: string, { scope }: OperationContext, info?: SchemaInfo) {
  const mayLook = scope.rights?.mayLookAt(formId) ?? true;
  return mayLook ? info?.schema.extensions.formNames?.get(formId) : undefined;
}

/** A field of a form as the graph shows it. Members that need the whole definition are read when they are selected. */
export class FormFieldView {
  readonly name: string;
  readonly label: string | undefined;
  readonly type: string | undefined;
  readonly required: boolean | undefined;
  readonly isMultiple: boolean | undefined;
  readonly graphqlName: string | undefined;
  readonly #field: FieldRecord;
  readonly #choiceNames: FieldGraphNames['choices'];
  readonly #context: OperationContext;
  readonly #info: SchemaInfo | undefined;
  #definition: FieldDefinition | undefined;

  constructor(
    field: FieldRecord,
    names: FormGraphNames | undefined,
    context: OperationContext,
    info: SchemaInfo | undefined,
  ) {
    const { name, label, type, required, isMultiple } = field;
    const ownNames = names?.fields.get(name);
    this.name = name;
    this.label = label;
    this.type = type;
    this.required = required;
    this.isMultiple = isMultiple;
    this.graphqlName = ownNames?.name;
    this.#field = field;
    this.#choiceNames = ownNames?.choices;
    this.#context = context;
    this.#info = info;
  }

  get #decoded(): FieldDefinition {
    this.#definition ??= decodeFieldDefinition(this.#field, this.#context.dialect.form);
    return this.#definition;
  }

  get description(): string | undefined {
    return this.#decoded.description;
  }

  get unit(): string | undefined {
    return this.#decoded.unit;
  }

  get min(): number | undefined {
    return this.#decoded.min;
  }

  get max(): number | undefined {
    return this.#decoded.max;
  }

  get maxLength(): number | undefined {
    return this.#decoded.maxLength;
  }

  get default(): Json | undefined {
    return this.#decoded.default;
  }

  get options() {
    return this.#decoded.choices?.map(({ value, label }) => ({
      value: String(value),
      label,
      enumValue: this.#choiceNames?.get(String(value))?.name,
    }));
  }

  get reference() {
    const formId = this.#field.reference;
    if (formId === undefined) return undefined;
    return { formId, typeName: namesOfForm(formId, this.#context, this.#info)?.typeName };
  }
}
