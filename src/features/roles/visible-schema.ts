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
 * Returns a copy of the schema with all names, which are not secret, but only some descriptions. It
 * keeps the descriptions of the generic graph, and of the types of the given forms with their
 * scalar and enum fields. Others might describe other forms.
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
  // The printer of subgraphs reads the extensions of types.
  for (const type of Object.values(visible.getTypeMap())) {
    type.extensions = schema.getType(type.name)?.extensions ?? type.extensions;
  }
  return visible;
}
