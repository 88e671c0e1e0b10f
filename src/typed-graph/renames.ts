import type { DefinitionSet } from '../upstream/definitions/reader.ts';
import type { Composed } from './compose.ts';
import type { FormNames } from './form-names.ts';
import type { TypedForm } from './typed-form.ts';

/** A served name that changed because a new form claims it. */
export interface Rename {
  readonly form: string;
  readonly was: string;
  readonly is: string;
  /** The `idForm` of the new form. */
  readonly claimedBy: string;
  /** The entry of TYPED_ALIASES that brings the old name back, as JSON. */
  readonly alias: string;
}

interface Version {
  readonly definitions: Pick<DefinitionSet, 'forms'>;
  readonly composed: Pick<Composed, 'forms'>;
}

/** Gives the forms whose names changed because forms came that were not there before, with the first of those names. */
export function findRenames(before: Version, after: Version): readonly Rename[] {
  const known = new Set(before.definitions.forms.map(({ formId }) => formId));
  const added = after.composed.forms.filter(({ formId }) => !known.has(formId));
  if (added.length === 0) return [];
  const served = new Map(before.composed.forms.map(({ formId, names }) => [formId, names]));
  return after.composed.forms.flatMap(({ formId, names }) => {
    const old = served.get(formId);
    return old === undefined ? [] : renameOf(formId, [old, names], added);
  });
}

/** The ids of forms whose names differ. */
export function renamedForms(before: Version['composed'], after: Version['composed']): readonly string[] {
  const served = new Map(before.forms.map(({ formId, names }) => [formId, JSON.stringify(entriesOf(names))]));
  return after.forms.flatMap(({ formId, names }) => {
    const old = served.get(formId);
    return old === undefined || old === JSON.stringify(entriesOf(names)) ? [] : formId;
  });
}

function renameOf(
  form: string,
  [old, names]: readonly [FormNames, FormNames],
  added: readonly TypedForm[],
): readonly Rename[] {
  const now = new Map(entriesOf(names));
  const [part, was] = entriesOf(old).find(([key, name]) => now.has(key) && now.get(key) !== name) ?? [];
  const claimant = was && added.find((candidate) => entriesOf(candidate.names).some(([, name]) => isClaim(name, was)));
  if (part === undefined || was === undefined || !claimant) return [];
  const entry = names.type === old.type ? [claimant.formId, otherName(claimant)] : [form, old.type];
  const [formId = '', name = ''] = entry;
  const alias = `${JSON.stringify(formId)}: ${JSON.stringify({ name })}`;
  return [{ form, was, is: now.get(part) ?? '', claimedBy: claimant.formId, alias }];
}

/** Whether a name is this one, or this one with a mark. */
const isClaim = (name: string, was: string): boolean => name === was || name.startsWith(`${was}_`);

/** A name of a form that leaves those that derive from its own to others. */
const otherName = ({ names }: TypedForm): string => `${names.type.replace(/_.*$/, '')}Form`;

/** All names, by what they name; the type's first. */
function entriesOf({ changes, enums, ...names }: FormNames): readonly (readonly [part: string, name: string])[] {
  return [
    ...Object.entries(names),
    ...[...Object.entries(changes), ...enums].flatMap(([of, parts]) =>
      Object.entries(parts).map(([part, name]): [string, string] => [`${of} ${part}`, name]),
    ),
  ];
}
