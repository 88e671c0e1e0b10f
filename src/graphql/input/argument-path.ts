import { type ASTNode, type DocumentNode, Kind, visit } from 'graphql';

/**
 * Gives where a variable stands in the arguments of a field, the first that it is given to: `["input", "values"]`. Its own
 * name where it stands in none.
 */
export function argumentPath(variable: string, document: DocumentNode): readonly string[] {
  let found: readonly string[] | undefined;
  visit(document, {
    Variable({ name }, _key, parent, _path, ancestors) {
      if (name.value !== variable || found) return;
      const names = [...ancestors, parent].flatMap((around) => nameOf(around));
      if (names.length > 0) found = names;
    },
  });
  return found ?? [variable];
}

function nameOf(around: ASTNode | readonly ASTNode[] | undefined): readonly string[] {
  if (around === undefined || !('kind' in around)) return [];
  return around.kind === Kind.ARGUMENT || around.kind === Kind.OBJECT_FIELD ? [around.name.value] : [];
}
