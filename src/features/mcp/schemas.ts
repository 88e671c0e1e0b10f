import {
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  typeFromAST,
  valueFromASTUntyped,
} from 'graphql';

import type { SelectedOperation } from '../../graphql/admission/selections.ts';

/** A JSON Schema, draft 2020-12. */
type Schema = { readonly [keyword: string]: unknown };
type ObjectSchema = Schema & { readonly type: 'object' };

/**
 * Each schema has a single type, since many clients reject a list of types. Large numbers are
 * strings, which keep all digits.
 */
const SCALARS: Readonly<Record<string, Schema>> = {
  String: { type: 'string' },
  ID: { type: 'string' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  Date: { type: 'string', format: 'date' },
  DateTime: { type: 'string', format: 'date-time' },
  Decimal: { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$' },
  Long: { type: 'string', pattern: '^-?\\d+$' },
  JSONObject: { type: 'object' },
};

const leaf = (type: GraphQLNamedType): Schema =>
  isEnumType(type)
    ? { type: 'string', enum: type.getValues().map(({ name }) => name) }
    : (SCALARS[type.name] ?? {});

/** Allows `null`. An empty schema already allows any JSON. */
const orNull = (schema: Schema): Schema =>
  Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: 'null' }] };

const objectOf = (
  members: readonly (readonly [name: string, schema: Schema, isRequired: boolean])[],
): ObjectSchema => ({
  type: 'object',
  properties: Object.fromEntries(members),
  required: members.filter(([, , isRequired]) => isRequired).map(([name]) => name),
  additionalProperties: false,
});

/**
 * Returns the JSON Schema of an operation's variables, with the constraints of the forms'
 * definitions.
 */
export function toInputSchema({ schema, definition, variables }: SelectedOperation): ObjectSchema {
  const recursive = new Set<GraphQLInputObjectType>();
  type Around = readonly GraphQLInputObjectType[];

  const toSchema = (type: GraphQLInputType, around: Around, field?: GraphQLInputField): Schema => {
    if (isNonNullType(type)) return present(type.ofType, around, field);
    const isNullable = field === undefined || field.extensions.constraint?.(null) === undefined;
    return isNullable ? orNull(present(type, around, field)) : present(type, around, field);
  };
  const present = (type: GraphQLInputType, around: Around, field?: GraphQLInputField): Schema => {
    if (isNonNullType(type)) return present(type.ofType, around, field);
    if (isListType(type)) {
      return {
        type: 'array',
        items: toSchema(type.ofType, around),
        ...(field && lengthsOf(field)),
      };
    }
    if (!isInputObjectType(type))
      return { ...leaf(type), ...(field && limitsOf(field, type.name)) };
    if (!around.includes(type)) return toObject(type, [...around, type]);
    recursive.add(type);
    return { $ref: `#/$defs/${type.name}` };
  };
  const toObject = (type: GraphQLInputObjectType, around: Around): ObjectSchema => {
    const members = Object.values(type.getFields()).map((field) => {
      const { name, description } = field;
      const member = {
        ...toSchema(field.type, around, field),
        ...(description && { description }),
      };
      return [name, member, isRequiredInputField(field)] as const;
    });
    return { ...objectOf(members), ...(type.isOneOf && { minProperties: 1, maxProperties: 1 }) };
  };

  const members = (definition.variableDefinitions ?? []).map(
    ({ variable, type, defaultValue, description }) => {
      const name = variable.name.value;
      const inputType = typeFromAST(schema, type as never) as GraphQLInputType;
      const field = variables.get(name)?.field;
      const ownWords =
        description &&
        [description.value, ...(field ? limitsInWords(field, inputType) : [])].join(' ');
      const words = ownWords ?? field?.description;
      const facts = {
        ...(words && { description: words }),
        ...(defaultValue && { default: valueFromASTUntyped(defaultValue) }),
      };
      const isRequired = isNonNullType(inputType) && !defaultValue;
      return [name, { ...toSchema(inputType, [], field), ...facts }, isRequired] as const;
    },
  );
  const $defs: Record<string, Schema> = {};
  for (const type of recursive) $defs[type.name] = toObject(type, [type]);
  return { ...objectOf(members), ...(recursive.size > 0 && { $defs }) };
}

const NUMBERS = ['Int', 'Float'];
const NUMBERS_AS_TEXTS = ['Decimal', 'Long'];
const DIGITS = '9'.repeat(60);

/**
 * Returns the limit that a field's constraint reports for a value beyond every limit; `undefined`
 * if it has no limit.
 */
const limitOf = (field: GraphQLInputField, value: unknown) =>
  field.extensions.constraint?.(value)?.limit;

function limitsOf(field: GraphQLInputField, type: string): Schema {
  if (type === 'String') return { maxLength: limitOf(field, 'x'.repeat(100_001)) };
  return NUMBERS.includes(type) ? rangeOf(field) : {};
}

const rangeOf = (field: GraphQLInputField) => ({
  minimum: limitOf(field, `-${DIGITS}`),
  maximum: limitOf(field, DIGITS),
});

/**
 * Describes the range of a number that is passed as a string. JSON Schema has no keywords for it.
 */
function limitsInWords(field: GraphQLInputField, type: GraphQLInputType): readonly string[] {
  if (!NUMBERS_AS_TEXTS.includes(getNamedType(type).name)) return [];
  const { minimum, maximum } = rangeOf(field);
  return [
    ...(minimum === undefined ? [] : [`At least ${minimum}.`]),
    ...(maximum === undefined ? [] : [`At most ${maximum}.`]),
  ];
}

const lengthsOf = (field: GraphQLInputField): Schema => ({
  minItems: limitOf(field, []),
  maxItems: limitOf(field, Array(100_001)),
});
