import type { GraphQLInputFieldConfig, GraphQLInputType } from 'graphql';
import { type Constraint, withConstraint } from '../../graphql/input/constraint.ts';
import { refuseValues, type Violation } from '../../graphql/input/violation.ts';
import type { Dialect } from '../../upstream/dialect.ts';
import type { JsonObject } from '../../upstream/json.ts';
import type { TypedField } from '../typed-form.ts';
import { createWriters, type WriteValue } from '../values/write-value.ts';
import { createFieldConstraint } from './field-constraint.ts';

/** A field as typed inputs take it. */
export interface InputField extends TypedField {
  readonly constraint: Constraint;
  readonly write: WriteValue;
  /** In inputs where it may be left out. */
  readonly config: GraphQLInputFieldConfig;
}

interface InputFieldParts {
  readonly dialect: Dialect;
  readonly typeOf: (field: TypedField) => GraphQLInputType;
}

/** Prepares fields for inputs. */
export function toInputFields(fields: readonly TypedField[], { dialect, typeOf }: InputFieldParts): InputField[] {
  const writeValueOf = createWriters(dialect);
  return fields.map((field) => {
    const constraint = createFieldConstraint(field);
    const config = { type: typeOf(field), description: field.description, ...withConstraint(constraint) };
    return { ...field, constraint, write: writeValueOf(field.shape), config };
  });
}

/** The values of a typed input, each of its type. */
export type GivenValues = Readonly<Record<string, unknown>>;

/**
 * Makes the values of a typed input what the platform takes, by its own names. `path` is where they stand.
 *
 * @throws {GraphQLError} BAD_USER_INPUT that tells every value which a constraint refuses.
 */
export function writeValues(fields: readonly InputField[], given: GivenValues, path: readonly string[]): JsonObject {
  const named = fields.filter(({ name }) => given[name] !== undefined);
  const violations = named.flatMap(({ name, constraint }): Violation[] => {
    const objection = constraint(given[name]);
    return objection === undefined ? [] : [{ path: [...path, name], ...objection }];
  });
  if (violations.length > 0) throw refuseValues(violations);
  return Object.fromEntries(named.map(({ name, record, write }) => [record.name, write(given[name])]));
}
