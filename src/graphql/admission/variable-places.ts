import {
  type ASTNode,
  type DocumentNode,
  type GraphQLInputField,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/** Where a variable stands in the arguments of a field, and the field of an input that it is the value of, if it is one. */
interface VariablePlace {
  readonly path: readonly string[];
  readonly field: GraphQLInputField | undefined;
}

/** By the variables’ names. */
export type Places = ReadonlyMap<string, VariablePlace>;

/** Gives the first place of each variable of an operation, by the variable's name; none of those that no argument takes. */
export function findPlaces(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): Places {
  const info = new TypeInfo(schema);
  const places = new Map<string, VariablePlace>();
  const visitor = visitWithTypeInfo(info, {
    OperationDefinition: (node) => (node === operation ? undefined : false),
    Variable({ name }, _key, parent, _path, ancestors) {
      const path = [...ancestors, parent].flatMap(argumentName);
      if (path.length === 0 || places.has(name.value)) return;
      const type = getNamedType(info.getParentInputType());
      const isValue = parent && 'kind' in parent && parent.kind === Kind.OBJECT_FIELD;
      const field = isValue && isInputObjectType(type) ? type.getFields()[parent.name.value] : undefined;
      places.set(name.value, { path, field });
    },
  });
  visit(document, visitor);
  return places;
}

function argumentName(node: ASTNode | readonly ASTNode[] | undefined): readonly string[] {
  if (node === undefined || !('kind' in node)) return [];
  return node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD ? [node.name.value] : [];
}
