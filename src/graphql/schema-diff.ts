import { buildSchema } from 'graphql';

/** The effect of a change of the schema on clients that were built before it. */
export type Severity = (typeof SEVERITIES)[number];
/** The worst first. */
export const SEVERITIES = ['breaking', 'dangerous', 'safe'] as const;

/** One difference between two schemas. */
export interface SchemaChange {
  readonly severity: Severity;
  /** Where, as names with points between them, such as `Query.forms.first`; absent where it is the schema as a whole. */
  readonly place?: string;
  readonly message: string;
}

/**
 * Gives all differences between two schemas in SDL: breaking ones first, and by place among equals. What is new comes
 * without what is in it.
 *
 * @throws {GraphQLError} for a text that is no schema.
 */
export async function compareSchemas(before: string, after: string): Promise<readonly SchemaChange[]> {
  // Only who compares needs it, so that a gateway's start does not wait for it.
  const { diff } = await import('@graphql-inspector/core');
  const found = await diff(buildSchema(before), buildSchema(after));
  return withoutRepetitions(found)
    .map(({ criticality, path, message }) => ({
      severity: BY_LEVEL[criticality.level],
      ...(path !== undefined && { place: path }),
      message,
    }))
    .toSorted((one, other) => compareTexts(rank(one), rank(other)));
}

const BY_LEVEL = { BREAKING: 'breaking', DANGEROUS: 'dangerous', NON_BREAKING: 'safe' } as const;

const rank = ({ severity, place = '', message }: SchemaChange): string =>
  `${SEVERITIES.indexOf(severity)} ${place} ${message}`;

const compareTexts = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** Additions of a whole: all that is in one, or described of it, is new as well. */
const NEW = /^(TYPE|FIELD|INPUT_FIELD|ENUM_VALUE|FIELD_ARGUMENT|DIRECTIVE)_ADDED$/;
const USAGE = /^DIRECTIVE_USAGE_/;

/** Leaves out what another change includes: all that is in something new, and the directive of a deprecation. */
function withoutRepetitions<T extends { readonly type: string; readonly path?: string }>(changes: readonly T[]): T[] {
  const pathsOf = (pattern: RegExp) =>
    new Set(changes.flatMap(({ type, path }) => (pattern.test(type) && path !== undefined ? [path] : [])));
  const added = pathsOf(NEW);
  const used = pathsOf(USAGE);
  const others = pathsOf(/^(?!DIRECTIVE_USAGE_)/);
  const isInside = (path: string): boolean => {
    const above = path.slice(0, Math.max(0, path.lastIndexOf('.')));
    return above !== '' && (added.has(above) || used.has(above) || isInside(above));
  };
  return changes.filter(({ type, path = '' }) => {
    if (isInside(path) || (added.has(path) && !NEW.test(type))) return false;
    return !(USAGE.test(type) && others.has(path));
  });
}
