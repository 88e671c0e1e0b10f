import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** How much an operation selects, once its fragments are put in. */
export interface Selected {
  readonly selections: number;
  /** Levels of fields; what asks for the schema is no level. */
  readonly depth: number;
  readonly rootFields: number;
}

/** Measures a valid operation: each fragment is looked at once, however often it is used. */
export function measureSelections(document: DocumentNode, operation: OperationDefinitionNode): Selected {
  const fragments = new Map(
    document.definitions
      .filter((node): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node]),
  );
  const measured = new Map<string, Selected>();

  const measureFragment = (name: string): Selected => {
    const known = measured.get(name);
    if (known) return known;
    // What is being measured counts as nothing for itself: validation refuses circles.
    measured.set(name, NOTHING);
    const found = measure(fragments.get(name)?.selectionSet);
    measured.set(name, found);
    return found;
  };

  const measure = (set: SelectionSetNode | undefined): Selected =>
    (set?.selections ?? [])
      .map((node): Selected => {
        if (node.kind === Kind.FRAGMENT_SPREAD) return withOneMore(measureFragment(node.name.value));
        const inner = measure(node.selectionSet);
        if (node.kind === Kind.INLINE_FRAGMENT) return withOneMore(inner);
        const depth = node.name.value.startsWith('__') ? 0 : inner.depth + 1;
        return { selections: inner.selections + 1, depth, rootFields: 1 };
      })
      .reduce(join, NOTHING);

  return measure(operation.selectionSet);
}

const NOTHING: Selected = { selections: 0, depth: 0, rootFields: 0 };

const withOneMore = (found: Selected): Selected => ({ ...found, selections: found.selections + 1 });

const join = (one: Selected, other: Selected): Selected => ({
  selections: one.selections + other.selections,
  depth: Math.max(one.depth, other.depth),
  rootFields: one.rootFields + other.rootFields,
});
