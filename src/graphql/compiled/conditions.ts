import { type DirectiveNode, type DocumentNode, Kind, visit } from 'graphql';

/** Gives the variables by which a document leaves parts of itself out (`@skip`, `@include`), each once. */
export function conditionsOf(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    Directive({ name, arguments: args = [] }: DirectiveNode) {
      if (name.value !== 'skip' && name.value !== 'include') return;
      for (const { value } of args) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names];
}
