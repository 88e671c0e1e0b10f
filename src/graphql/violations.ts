import { InputError } from '../core/errors.ts';

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

/** One error for all invalid values. GraphQL copies its extensions to the error of the field. */
export class ViolationError extends InputError {
  readonly extensions: { readonly code: string; readonly violations: readonly Violation[] };

  constructor(all: readonly Violation[]) {
    const violations = all.slice(0, MAX_VIOLATIONS);
    const sentences = violations.map(({ path, message }) => `${path.join('.')} ${message}`);
    super(`${sentences.join('; ')}.`);
    this.extensions = { code: 'BAD_USER_INPUT', violations };
  }
}

/**
 * Returns the result of `read`.
 *
 * @param path the place of the value that is read.
 * @throws {ViolationError} at this place for an `InputError`, whose message continues a sentence.
 */
export function readAt<T>(path: Violation['path'], read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw invalidAt(path, 'kind', error.message);
  }
}

/** Creates the error for one invalid value. */
export const invalidAt = (
  path: Violation['path'],
  constraint: ConstraintName,
  message: string,
  limit?: number,
) => new ViolationError([{ path, constraint, message, limit }]);
