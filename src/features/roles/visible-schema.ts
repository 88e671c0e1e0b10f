import {
  buildASTSchema,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  parse,
  visit,
} from 'graphql';

import { createSchema, printSdl } from '../../graphql/schema.ts';

/**
 * Gives a schema with all names, which are no secret, and without descriptions that may tell of other forms than these: those of the
 * generic graph stay, and of the types of these forms and their plain fields.
 */
export function withoutOtherForms(
  schema: GraphQLSchema,
  formIds: readonly string[],
): GraphQLSchema {
  const shown = new Set<string | null | undefined>();
  visit(parse(printSdl(createSchema())), { StringValue: ({ value }) => void shown.add(value) });
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    if (!formIds.includes(type.extensions.form?.formId ?? '')) continue;
    const plain = Object.values(type.getFields()).filter((field) =>
      isLeafType(getNamedType(field.type)),
    );
    for (const { description } of [type, ...plain]) shown.add(description);
  }
  const document = visit(parse(printSdl(schema), { noLocation: true }), {
    StringValue: ({ value }, key) =>
      key === 'description' && !shown.has(value) ? null : undefined,
  });
  const visible = buildASTSchema(document, { assumeValid: true });
  // What types mean, for who prints it as a subgraph.
  for (const type of Object.values(visible.getTypeMap())) {
    type.extensions = schema.getType(type.name)?.extensions ?? type.extensions;
  }
  return visible;
}
