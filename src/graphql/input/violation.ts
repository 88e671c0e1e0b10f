import { GraphQLError } from 'graphql';

/** What a value does not fulfil. `kind` is its type, `choices` the values that it may be one of. These words stay. */
export type ConstraintWord = 'required' | 'kind' | 'choices' | 'min' | 'max' | 'maxLength' | 'maxItems';

/** Why a value cannot be taken. */
export interface Objection {
  readonly constraint: ConstraintWord;
  /** What the constraint allows at most or at least, where that is a number. */
  readonly limit?: number | undefined;
  /** Goes on after the value's name: "must be at least 0". It does not quote the value. */
  readonly message: string;
}

/** A value that cannot be taken, as clients are told of it. */
export interface Violation extends Objection {
  /** From the argument of the field on: `["input", "values", "amount"]`. */
  readonly path: readonly (string | number)[];
}

/** How many are told at once. */
export const VIOLATIONS_MAX = 50;

/** Makes the one error that tells of all values that cannot be taken. */
export function refuseValues(violations: readonly Violation[]): GraphQLError {
  const told = violations.slice(0, VIOLATIONS_MAX);
  const sentences = told.map(({ path, message }) => `${path.join('.')} ${message}`);
  return new GraphQLError(`${sentences.join('; ')}.`, { extensions: { code: 'BAD_USER_INPUT', violations: told } });
}
