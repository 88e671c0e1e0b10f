import type { DocumentNode, OperationDefinitionNode, SelectionNode, ValueNode } from 'graphql';

import type { RequestKind } from '../errors.ts';

type Variables = Readonly<Record<string, unknown>>;

/** Returns the kind of a query or a mutation with these variables. */
export function kindOf(document: DocumentNode, variables: Variables = {}): RequestKind {
  const mutations = findMutations(document);
  if (mutations.length === 0) return 'read';
  const fields = mutations.flatMap(({ selectionSet }) => selectionSet.selections);
  return fields.every((field) => hasKey(field, variables)) ? 'keyed-write' : 'write';
}

/** Returns whether a document has a mutation. */
export const isMutation = (document: DocumentNode): boolean => findMutations(document).length > 0;

/** Returns whether a mutation has the variable `$idempotencyKey`. */
export function declaresKey(document: DocumentNode): boolean {
  const declared = findMutations(document).flatMap(
    (mutation) => mutation.variableDefinitions ?? [],
  );
  return declared.some(({ variable }) => variable.name.value === 'idempotencyKey');
}

/**
 * Returns the variables with a key, in `$idempotencyKey` or in the input object `$input`. A key in
 * the variables is kept.
 *
 * @throws {TypeError} if the document has neither.
 */
export function addKey(document: DocumentNode, variables: Variables, key: string): Variables {
  if (declaresKey(document)) {
    return { ...variables, idempotencyKey: variables['idempotencyKey'] ?? key };
  }
  const { input } = variables;
  if (!isObject(input)) {
    throw new TypeError('A mutation with a key needs the variable $idempotencyKey or $input.');
  }
  return { ...variables, input: { ...input, idempotencyKey: input['idempotencyKey'] ?? key } };
}

/**
 * Returns the id of a trusted document, which the client preset writes into the document.
 *
 * @throws {TypeError} if the document has no id.
 */
export function trustedIdOf(document: DocumentNode): string {
  const { __meta__: meta } = document as { readonly __meta__?: { readonly hash?: string } };
  if (meta?.hash) return meta.hash;
  throw new TypeError(
    'The document has no hash. Generate it with the preset’s persistedDocuments.',
  );
}

const findMutations = (document: DocumentNode): readonly OperationDefinitionNode[] =>
  document.definitions
    .filter((definition) => definition.kind === 'OperationDefinition')
    .filter(({ operation }) => operation === 'mutation');

/** Returns whether a field at the root of a mutation has a key. A fragment counts as unkeyed. */
function hasKey(selection: SelectionNode, variables: Variables): boolean {
  if (selection.kind !== 'Field') return false;
  const input = selection.arguments?.find(({ name }) => name.value === 'input');
  if (input === undefined) return false;
  return isKey(readMember(input.value, 'idempotencyKey', variables));
}

/** Returns the value of a member of an input object. */
function readMember(value: ValueNode, member: string, variables: Variables): unknown {
  if (value.kind === 'Variable') {
    const object = variables[value.name.value];
    return isObject(object) ? object[member] : undefined;
  }
  if (value.kind !== 'ObjectValue') return undefined;
  const field = value.fields.find(({ name }) => name.value === member)?.value;
  if (field?.kind === 'Variable') return variables[field.name.value];
  return field?.kind === 'StringValue' ? field.value : undefined;
}

const isKey = (value: unknown): boolean => typeof value === 'string' && value !== '';

const isObject = (value: unknown): value is Variables =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
