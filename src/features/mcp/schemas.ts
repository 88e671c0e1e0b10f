import {
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  GraphQLString,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromASTUntyped,
} from 'graphql';

import type { SelectedOperation, Selection } from '../../graphql/admission/selections.ts';
import type { Places } from '../../graphql/admission/variable-places.ts';

/** A JSON Schema, draft 2020-12. */
type Schema = { readonly [keyword: string]: unknown };
type ObjectSchema = Schema & { readonly type: 'object' };
type Scalars = Readonly<Record<string, Schema>>;

/** The member of inputs that makes a change happen once. */
const KEY = 'idempotencyKey';

/** Scalars of answers: as texts, numbers of any size keep all digits. */
const GIVEN: Scalars = {
  String: { type: 'string' },
  ID: { type: 'string' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  Date: { type: 'string', format: 'date' },
  DateTime: { type: 'string', format: 'date-time' },
  Decimal: { type: 'string' },
  Long: { type: 'string' },
  JSONObject: { type: 'object' },
};
const TAKEN: Scalars = { ...GIVEN, Decimal: { type: ['number', 'string'] }, Long: { type: ['integer', 'string'] } };

const leaf = (type: GraphQLNamedType, scalars: Scalars): Schema =>
  isEnumType(type) ? { type: 'string', enum: type.getValues().map(({ name }) => name) } : (scalars[type.name] ?? {});

function orNull({ type, ...rest }: Schema): Schema {
  if ('$ref' in rest) return { anyOf: [rest, { type: 'null' }] };
  const { enum: choices } = rest;
  const nullable = type === undefined ? rest : { type: [type, 'null'].flat(), ...rest };
  return Array.isArray(choices) ? { ...nullable, enum: [...choices, null] } : nullable;
}

const objectOf = (
  members: readonly (readonly [name: string, schema: Schema, isRequired: boolean])[],
): ObjectSchema => ({
  type: 'object',
  properties: Object.fromEntries(members),
  required: members.filter(([, , isRequired]) => isRequired).map(([name]) => name),
  additionalProperties: false,
});

interface InputOptions {
  readonly schema: GraphQLSchema;
  /** Whether idempotency keys are the gateway's to give. */
  readonly hidesKeys: boolean;
  readonly places: Places;
}

/** The JSON Schema of an operation's variables, with the constraints of the forms' definitions. */
export function toInputSchema(operation: OperationDefinitionNode, options: InputOptions): ObjectSchema {
  const { schema, hidesKeys, places } = options;
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
      return { type: 'array', items: toSchema(type.ofType, around), ...(field && lengthsOf(field)) };
    }
    if (!isInputObjectType(type)) return { ...leaf(type, TAKEN), ...(field && limitsOf(field, type.name)) };
    if (!around.includes(type)) return toObject(type, [...around, type]);
    recursive.add(type);
    return { $ref: `#/$defs/${type.name}` };
  };
  const toObject = (type: GraphQLInputObjectType, around: Around): ObjectSchema => {
    const members = Object.values(type.getFields()).flatMap((field) => {
      if (hidesKeys && field.name === KEY) return [];
      const { name, description } = field;
      const member = { ...toSchema(field.type, around, field), ...(description && { description }) };
      return [[name, member, isRequiredInputField(field)] as const];
    });
    return { ...objectOf(members), ...(type.isOneOf && { minProperties: 1, maxProperties: 1 }) };
  };

  const members = (operation.variableDefinitions ?? []).flatMap(({ variable, type, defaultValue, description }) => {
    const name = variable.name.value;
    const inputType = typeFromAST(schema, type as never) as GraphQLInputType;
    const field = places.get(name)?.field;
    const words = description?.value ?? field?.description;
    const facts = {
      ...(words && { description: words }),
      ...(defaultValue && { default: valueFromASTUntyped(defaultValue) }),
    };
    const isRequired = isNonNullType(inputType) && !defaultValue;
    return [[name, { ...toSchema(inputType, [], field), ...facts }, isRequired] as const];
  });
  const $defs: Record<string, Schema> = {};
  for (const type of recursive) $defs[type.name] = toObject(type, [type]);
  return { ...objectOf(members), ...(recursive.size > 0 && { $defs }) };
}

const NUMBERS = ['Int', 'Float', 'Long', 'Decimal'];
const DIGITS = '9'.repeat(60);

/** The limit that a field's constraint names when it is asked for a value beyond all of them. */
const limitOf = (field: GraphQLInputField, value: unknown) => field.extensions.constraint?.(value)?.limit;

function limitsOf(field: GraphQLInputField, type: string): Schema {
  if (type === 'String') return { maxLength: limitOf(field, 'x'.repeat(100_001)) };
  if (!NUMBERS.includes(type)) return {};
  return { minimum: limitOf(field, `-${DIGITS}`), maximum: limitOf(field, DIGITS) };
}

const lengthsOf = (field: GraphQLInputField): Schema => ({
  minItems: limitOf(field, []),
  maxItems: limitOf(field, Array(100_001)),
});

/** A part of what is selected of an object. */
interface Part {
  readonly selections: readonly Selection[];
  readonly type: GraphQLNamedType;
  /** Whether each object has it. */
  readonly isCertain: boolean;
}

/** The JSON Schema of the `data` of an operation's answer. */
export function toOutputSchema({ schema, rootType, selections }: SelectedOperation): ObjectSchema {
  /** Whether every object of a type is of another one as well. */
  const isAlso = (type: GraphQLNamedType, other: GraphQLNamedType): boolean =>
    type === other || (isAbstractType(other) && isObjectType(type) && schema.isSubType(other, type));
  const toObject = (parts: readonly Part[]): ObjectSchema => {
    const selected = parts.flatMap(({ selections: all, type, isCertain }) =>
      all.map((selection) => {
        const { conditions, fragments } = selection;
        const isAlways =
          conditions.length === 0 && fragments.every(({ type: other }) => other === undefined || isAlso(type, other));
        return { selection, isCertain: isCertain && isAlways };
      }),
    );
    const byKey = Map.groupBy(selected, ({ selection }) => selection.key);
    return objectOf(
      [...byKey].map(([key, same]) => [key, toField(same), same.some(({ isCertain }) => isCertain)] as const),
    );
  };
  const toField = (same: readonly { readonly selection: Selection; readonly isCertain: boolean }[]): Schema => {
    const parts = same.map(({ selection, isCertain }): Part => {
      // Where one of several places may be left out, so may what it alone selects.
      const isAlways = isCertain || same.length === 1;
      return { selections: selection.selections, type: getNamedType(typeOf(selection)), isCertain: isAlways };
    });
    // What has one name in the answer is of one shape.
    const [type = GraphQLString] = same.map(({ selection }) => typeOf(selection));
    return toSchema(type, parts);
  };
  const toSchema = (type: GraphQLOutputType, parts: readonly Part[]): Schema =>
    isNonNullType(type) ? present(type.ofType, parts) : orNull(present(type, parts));
  const present = (type: GraphQLOutputType, parts: readonly Part[]): Schema => {
    if (isNonNullType(type)) return present(type.ofType, parts);
    if (isListType(type)) return { type: 'array', items: toSchema(type.ofType, parts) };
    return isCompositeType(type) ? toObject(parts) : leaf(type, GIVEN);
  };
  return toObject([{ selections, type: rootType, isCertain: true }]);
}

/** The type of a field, which a valid document has. */
const typeOf = ({ definition }: Selection): GraphQLOutputType => definition?.type ?? GraphQLString;
