import { GraphQLError } from 'graphql';

/**
 * Which constraint of a field a value violates. `kind` is its type, `choices` its options; `platform` is one that only the
 * platform knows; `expected` is the value that a change expects. Clients rely on these words.
 */
type ConstraintName =
  | 'required'
  | 'kind'
  | 'choices'
  | 'min'
  | 'max'
  | 'maxLength'
  | 'minItems'
  | 'maxItems'
  | 'platform'
  | 'expected';

/** Why a value cannot be taken. */
export interface ConstraintViolation {
  readonly constraint: ConstraintName;
  /** The bound of the constraint, where that is a number. */
  readonly limit?: number | undefined;
  /** Goes on after the value's name: "must be at least 0". It does not quote the value. */
  readonly message: string;
}

/** A value that cannot be taken, as clients read it in `extensions.violations`. */
export interface Violation extends ConstraintViolation {
  /** From the argument of the field on: `["input", "values", "amount"]`. */
  readonly path: readonly (string | number)[];
}

/** Says why a value of the right type, which may be a list, cannot be taken; `undefined` for one that can. */
export type Constraint = (value: unknown) => ConstraintViolation | undefined;

/** The message about a `Float` that a double cannot hold. */
export const NOT_HELD = 'must be a number that a double holds with all its digits';

/** How many an error lists. */
export const MAX_VIOLATIONS = 50;

/** Makes the one error for all values that cannot be taken. */
export function violationError(all: readonly Violation[]): GraphQLError {
  const violations = all.slice(0, MAX_VIOLATIONS);
  const sentences = violations.map(({ path, message }) => `${path.join('.')} ${message}`);
  return new GraphQLError(`${sentences.join('; ')}.`, {
    extensions: { code: 'BAD_USER_INPUT', violations },
  });
}
