import { type Change, compareSchemas } from '../graphql/comparison/compare.ts';
import { printSdl } from '../graphql/schema.ts';
import { changedForms } from '../upstream/definitions/same-form.ts';
import type { DefinitionSet } from '../upstream/definitions/set.ts';
import type { FormRecord } from '../upstream/records.ts';
import { type ComposeOptions, composeSchema } from './compose.ts';

/** Gives what changes in the graph when definitions do, for the clients that were built before. */
export async function compareDefinitions(
  before: DefinitionSet,
  after: DefinitionSet,
  options: ComposeOptions,
): Promise<readonly Change[]> {
  const concerned = withNeighbours(changedForms(before.forms, after.forms), [...before.forms, ...after.forms]);
  // All other forms are the same in both, and comparing large schemas takes long.
  const sdlOf = ({ forms, rules }: DefinitionSet) =>
    printSdl(
      composeSchema(
        forms.filter(({ formId }) => concerned.has(formId)),
        { ...options, rules },
      ).schema,
    );
  return compareSchemas(sdlOf(before), sdlOf(after));
}

/** Adds the forms that these refer to: they list what refers to them. */
function withNeighbours(formIds: ReadonlySet<string>, forms: readonly FormRecord[]): ReadonlySet<string> {
  const targets = forms
    .filter(({ formId }) => formIds.has(formId))
    .flatMap(({ fields = [] }) => fields.flatMap(({ reference }) => reference ?? []));
  return new Set([...formIds, ...targets]);
}
