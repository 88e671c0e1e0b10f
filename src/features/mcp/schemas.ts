import {
  type DocumentNode,
  type FieldNode,
  type FragmentSpreadNode,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type InlineFragmentNode,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  typeFromAST,
  valueFromASTUntyped,
} from 'graphql';

import type { Places } from '../../graphql/variables.ts';
import { constraintOf } from '../../graphql/violations.ts';

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

/** Gives what the variables of an operation may be, with what the forms' definitions say of them. */
export function toInputSchema(operation: OperationDefinitionNode, options: InputOptions): ObjectSchema {
  const { schema, hidesKeys, places } = options;
  const recursive = new Set<GraphQLInputObjectType>();
  type Around = readonly GraphQLInputObjectType[];

  const toSchema = (type: GraphQLInputType, around: Around, field?: GraphQLInputField): Schema => {
    if (isNonNullType(type)) return present(type.ofType, around, field);
    const isNullable = field === undefined || constraintOf(field)?.(null) === undefined;
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
const limitOf = (field: GraphQLInputField, value: unknown) => constraintOf(field)?.(value)?.limit;

function limitsOf(field: GraphQLInputField, type: string): Schema {
  if (type === 'String') return { maxLength: limitOf(field, 'x'.repeat(100_001)) };
  if (!NUMBERS.includes(type)) return {};
  return { minimum: limitOf(field, `-${DIGITS}`), maximum: limitOf(field, DIGITS) };
}

const lengthsOf = (field: GraphQLInputField): Schema => ({
  minItems: limitOf(field, []),
  maxItems: limitOf(field, Array(100_001)),
});

interface Selected {
  readonly node: FieldNode;
  readonly parent: GraphQLNamedType;
  /** Whether each object has it. */
  readonly isCertain: boolean;
}

/** Gives what the `data` of an operation's answer is. */
export function toOutputSchema(
  operation: OperationDefinitionNode,
  document: DocumentNode,
  schema: GraphQLSchema,
): ObjectSchema {
  const fragments = new Map(
    document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  );
  /** Whether every object of a type is of another one as well. */
  const isAlso = (type: GraphQLNamedType, other: GraphQLNamedType): boolean =>
    type === other || (isAbstractType(other) && isObjectType(type) && schema.isSubType(other, type));
  const spread = (node: FragmentSpreadNode | InlineFragmentNode, parent: GraphQLNamedType, isAlways: boolean) => {
    const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node;
    if (fragment === undefined) return [];
    const type = schema.getType(fragment.typeCondition?.name.value ?? '') ?? parent;
    return select(fragment.selectionSet, type, isAlways && isAlso(parent, type));
  };
  const select = ({ selections }: SelectionSetNode, parent: GraphQLNamedType, isAlways: boolean): Selected[] =>
    selections.flatMap((node) => {
      const isCertain = isAlways && !isConditional(node);
      return node.kind === Kind.FIELD ? [{ node, parent, isCertain }] : spread(node, parent, isCertain);
    });
  const toObject = (parent: GraphQLNamedType, sets: readonly SelectionSetNode[]): ObjectSchema => {
    const selected = sets.flatMap((set) => select(set, parent, true));
    const byKey = Map.groupBy(selected, ({ node }) => (node.alias ?? node.name).value);
    return objectOf(
      [...byKey].map(([key, same]) => [key, toField(same), same.some(({ isCertain }) => isCertain)] as const),
    );
  };
  const toField = (same: readonly Selected[]): Schema => {
    const [first] = same;
    const fields = first && 'getFields' in first.parent ? first.parent.getFields() : {};
    const field = fields[first?.node.name.value ?? ''];
    const sets = same.flatMap(({ node }) => node.selectionSet ?? []);
    return field ? toSchema(field.type as GraphQLOutputType, sets) : { type: 'string' };
  };
  const toSchema = (type: GraphQLOutputType, sets: readonly SelectionSetNode[]): Schema =>
    isNonNullType(type) ? present(type.ofType, sets) : orNull(present(type, sets));
  const present = (type: GraphQLOutputType, sets: readonly SelectionSetNode[]): Schema => {
    if (isNonNullType(type)) return present(type.ofType, sets);
    if (isListType(type)) return { type: 'array', items: toSchema(type.ofType, sets) };
    return isCompositeType(type) ? toObject(type, sets) : leaf(type, GIVEN);
  };
  const root = schema.getRootType(operation.operation);
  return root ? toObject(root, [operation.selectionSet]) : objectOf([]);
}

const isConditional = ({ directives = [] }: SelectionNode): boolean =>
  directives.some(({ name }) => name.value === 'skip' || name.value === 'include');
