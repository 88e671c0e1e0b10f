import {
  buildSchema,
  type DocumentNode,
  executeSync,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';

import { type FieldNodes, type Fragments, type Variables, visitWithFragments } from './collect-fields.ts';

/** Answers the root fields that ask for the schema itself. One may serve all operations of a schema. */
export interface Introspection {
  /**
   * Gives the value of the document's one field as JSON text; `undefined` for `null`.
   *
   * @throws {GraphQLError} where a part of it failed.
   */
  execute(document: IntrospectionDocument, variables: Variables): string | undefined;
}

/** A document that selects one field of the schema itself. */
export interface IntrospectionDocument {
  readonly document: DocumentNode;
  readonly name: string;
  readonly key: string;
  readonly hasVariables: boolean;
}

interface IntrospectionOptions {
  /**
   * Whether callers may not see the schema: then `__type` is `null`, and `__schema` a schema with nothing in it. An error
   * would be no valid answer to a valid query.
   */
  readonly isMasked?: boolean;
}

/** How many answers are kept: tools ask in a few ways, and the answer of a large schema has megabytes. */
const MAX_KEPT = 4;

/** Makes the introspection of a schema, by graphql-js. Answers that depend on no variable are made once. */
export function createIntrospection(
  schema: GraphQLSchema,
  { isMasked = false }: IntrospectionOptions = {},
): Introspection {
  const visible = isMasked ? buildSchema('type Query { _: Boolean }', { assumeValid: true }) : schema;
  const kept = new Map<DocumentNode, string>();

  const execute: Introspection['execute'] = ({ document, key }, variableValues) => {
    const { data, errors: [error] = [] } = executeSync({ schema: visible, document, variableValues });
    if (error) {
      // All resolvers here are graphql-js's own, so what fails is the request.
      throw new GraphQLError(error.message, { nodes: error.nodes ?? null, extensions: { code: 'BAD_USER_INPUT' } });
    }
    const value = data?.[key] ?? undefined;
    return value && JSON.stringify(value);
  };
  return {
    execute(asked, variables) {
      if (isMasked && asked.name === '__type') return undefined;
      if (asked.hasVariables) return execute(asked, variables);
      const text = kept.get(asked.document) ?? execute(asked, variables);
      if (text !== undefined) keep(kept, asked.document, text);
      return text;
    },
  };
}

function keep(kept: Map<DocumentNode, string>, document: DocumentNode, text: string): void {
  kept.delete(document);
  const [oldest] = kept.keys();
  if (oldest && kept.size >= MAX_KEPT) kept.delete(oldest);
  kept.set(document, text);
}

/** Whether a root field asks for the schema itself. */
export const isIntrospectionField = (name: string): boolean => name === '__schema' || name === '__type';

/** Makes the document that selects one of an operation's introspection fields alone. */
export function introspectionDocument(
  nodes: FieldNodes,
  operation: OperationDefinitionNode,
  fragments: Fragments,
): IntrospectionDocument {
  const selectionSet = { kind: Kind.SELECTION_SET, selections: nodes } as const;
  const used = new Set<string>();
  visitWithFragments(selectionSet, fragments, {
    Variable({ name }) {
      used.add(name.value);
    },
  });
  // The others' values are coerced already, and may not be what their types take.
  const variableDefinitions = (operation.variableDefinitions ?? []).filter(({ variable }) =>
    used.has(variable.name.value),
  );
  const [{ name, alias = name }] = nodes;
  const definitions = [{ ...operation, variableDefinitions, selectionSet }, ...Object.values(fragments)];
  return {
    document: { kind: Kind.DOCUMENT, definitions },
    name: name.value,
    key: alias.value,
    hasVariables: used.size > 0,
  };
}
