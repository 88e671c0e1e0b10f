import {
  BREAK,
  buildSchema,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type FieldNode,
  Kind,
  visit,
} from 'graphql';

/** Executes an operation. */
export type Execute = (args: ExecutionArgs) => Promise<ExecutionResult>;

const META_FIELDS: readonly string[] = ['__schema', '__type'];

/**
 * Executes operations for clients who may not see the schema: what they ask of it is answered by a view that is empty,
 * `__type` by `null` and `__schema` by a schema without anything in it. An error would be no valid answer to a valid
 * query.
 */
export function createMaskedExecute(inner: Execute): Execute {
  const emptySchema = buildSchema('type Query { _: Boolean }', { assumeValid: true });

  return async (args) => {
    const { document, fields } = withoutMetaFields(args.document);
    if (fields.size === 0) return inner(args);

    const answer = await inner({ ...args, document });
    const view = await execute({ ...args, schema: emptySchema, document: onlySchemaFields(args.document) });
    if (!answer.data) return answer;
    const seen = [...fields].filter(([key]) => answer.data?.[key] !== undefined);
    const masks = seen.map(([key, name]) => [key, name === '__schema' ? view.data?.[key] : null] as const);
    return { ...answer, data: Object.assign(Object.create(null), answer.data, Object.fromEntries(masks)) };
  };
}

/** Whether a document asks for the schema anywhere. */
export function asksForSchema(document: DocumentNode): boolean {
  let isAsked = false;
  visit(document, {
    Field({ name }) {
      isAsked ||= META_FIELDS.includes(name.value);
      return isAsked ? BREAK : undefined;
    },
  });
  return isAsked;
}

/** Puts `__typename` where an operation asks for the schema, so that the answer keeps its order. */
function withoutMetaFields(given: DocumentNode) {
  const fields = new Map<string, string>();
  const document = visit(given, {
    Field(node) {
      if (!META_FIELDS.includes(node.name.value)) return undefined;
      const alias = node.alias ?? node.name;
      fields.set(alias.value, node.name.value);
      const name = { kind: Kind.NAME, value: '__typename' } as const;
      return { kind: Kind.FIELD, name, alias, directives: node.directives ?? [] } satisfies FieldNode;
    },
  });
  return { document, fields };
}

/** Leaves of a document only what it asks by `__schema`, which is asked at the root alone. */
function onlySchemaFields(given: DocumentNode): DocumentNode {
  return visit(given, {
    // Fragments on the types of introspection belong to what is below.
    FragmentDefinition: ({ typeCondition }) => (typeCondition.name.value.startsWith('__') ? false : undefined),
    Field: ({ name }) => (name.value === '__schema' ? false : null),
  });
}
