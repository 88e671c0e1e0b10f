import { GraphQLError } from 'graphql';

/**
 * The name of a violated constraint. `kind` is the type, `choices` are the options. `platform` is a
 * constraint that only the platform knows. Clients rely on these names.
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
  | 'platform';

/** The reason why a value is invalid. */
export interface ConstraintViolation {
  readonly constraint: ConstraintName;
  /** The bound of the constraint, if it is a number. */
  readonly limit?: number | undefined;
  /**
   * Continues a sentence after the value's name: "must be at least 0". It does not quote the value.
   */
  readonly message: string;
}

/** An invalid value, as in `extensions.violations`. */
export interface Violation extends ConstraintViolation {
  /** The path from the field's argument: `["input", "values", "amount"]`. */
  readonly path: readonly (string | number)[];
}

/** Checks a value of the right type, which may be a list. Returns `undefined` if it is valid. */
export type Constraint = (value: unknown) => ConstraintViolation | undefined;

/** The message about a `Float` that a double cannot hold. */
export const NOT_HELD = 'must be a number that a double holds with all its digits';

/** The highest number of violations in one error. */
export const MAX_VIOLATIONS = 50;

/** Creates one error for all invalid values. */
export function violationError(all: readonly Violation[]): GraphQLError {
  const violations = all.slice(0, MAX_VIOLATIONS);
  const sentences = violations.map(({ path, message }) => `${path.join('.')} ${message}`);
  return new GraphQLError(`${sentences.join('; ')}.`, {
    extensions: { code: 'BAD_USER_INPUT', violations },
  });
}
