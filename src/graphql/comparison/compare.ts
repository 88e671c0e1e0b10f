import { buildSchema } from 'graphql';

import { tellOnce } from './tell-once.ts';

/** What a change of the schema may do to clients that were built before it. */
export type Severity = 'breaking' | 'dangerous' | 'safe';

/** One difference between two schemas. */
export interface Change {
  readonly severity: Severity;
  /** Where, as names with points between them, such as `Query.forms.first`; absent where it is the schema as a whole. */
  readonly place?: string;
  readonly message: string;
}

/**
 * Gives all differences between two schemas in SDL: breaking ones first, and by place among equals. What is new is told
 * without what is in it.
 *
 * @throws {GraphQLError} for a text that is no schema.
 */
export async function compareSchemas(before: string, after: string): Promise<readonly Change[]> {
  // Only who compares needs it, so that a gateway's start does not wait for it.
  const { diff } = await import('@graphql-inspector/core');
  const found = await diff(buildSchema(before), buildSchema(after));
  return tellOnce(found)
    .map(({ criticality, path, message }) => ({
      severity: SEVERITIES[criticality.level],
      ...(path !== undefined && { place: path }),
      message,
    }))
    .toSorted((one, other) => compareTexts(rank(one), rank(other)));
}

const SEVERITIES = { BREAKING: 'breaking', DANGEROUS: 'dangerous', NON_BREAKING: 'safe' } as const;
const ORDER: readonly Severity[] = ['breaking', 'dangerous', 'safe'];

const rank = ({ severity, place = '', message }: Change): string => `${ORDER.indexOf(severity)} ${place} ${message}`;

const compareTexts = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
