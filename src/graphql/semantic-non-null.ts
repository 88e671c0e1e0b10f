import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  print,
} from 'graphql';
import { printSdl } from './schema.ts';

const { definitions: DEFINITION } = parse(
  'directive @semanticNonNull(levels: [Int] = [0]) on FIELD_DEFINITION',
);
const MARK: ConstDirectiveNode = {
  kind: Kind.DIRECTIVE,
  name: { kind: Kind.NAME, value: 'semanticNonNull' },
};

/**
 * Prints a schema as SDL for code generators. The fields that are `null` only together with an error
 * have `@semanticNonNull`. The directive is not part of the schema: introspection has no place for it,
 * and GraphQL's own printer drops directives of fields.
 */
export function printForGenerators(schema: GraphQLSchema): string {
  const { definitions } = parse(printSdl(schema), { noLocation: true });
  return print({
    kind: Kind.DOCUMENT,
    definitions: [...DEFINITION, ...definitions.map((one) => mark(one, schema))],
  });
}

function mark(definition: DefinitionNode, schema: GraphQLSchema): DefinitionNode {
  const isOfFields =
    definition.kind === Kind.OBJECT_TYPE_DEFINITION ||
    definition.kind === Kind.INTERFACE_TYPE_DEFINITION;
  const type = isOfFields && schema.getType(definition.name.value);
  if (!isOfFields || !(isObjectType(type) || isInterfaceType(type))) return definition;

  const marked = neverNull(type, schema);
  const fields = definition.fields?.map((field) =>
    marked.has(field.name.value) ? { ...field, directives: [MARK] } : field,
  );
  return { ...definition, ...(fields && { fields }) };
}

/** Returns the nullable fields of a type that are `null` only together with an error. */
function neverNull(
  type: Pick<GraphQLObjectType, 'name' | 'getFields'>,
  schema: GraphQLSchema,
): ReadonlySet<string> {
  // A mutation that succeeds has a payload. A team's own mutation may return null.
  const isMutation = type.name === schema.getMutationType()?.name;
  const fields = Object.values(type.getFields()).filter(
    ({ type: nullable, extensions: { isNeverNull, isOwn } }) =>
      !isNonNullType(nullable) && !isOwn && (isNeverNull || isMutation),
  );
  return new Set(fields.map(({ name }) => name));
}
