import type { Objection } from './violation.ts';

/** Says why a value of the right type cannot be taken; `undefined` for one that can. */
export type Constraint = (value: unknown) => Objection | undefined;

/** What a field of an input brings along that is made with its constraint. GraphQL copies what has a prototype. */
export const withConstraint = (constraint: Constraint) => ({ extensions: { __proto__: null, constraint } });

/** The constraint that a field of an input brings along, if it does. */
export const constraintOf = ({
  extensions,
}: {
  readonly extensions: Readonly<Record<string, unknown>>;
}): Constraint | undefined => extensions['constraint'] as Constraint | undefined;
