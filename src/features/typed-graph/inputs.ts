import { GraphQLInputObjectType, type GraphQLInputType, GraphQLNonNull } from 'graphql';
import type { JsonObject } from '../../core/json.ts';
import { withConstraint } from '../../graphql/schema-metadata.ts';
import {
  type Constraint,
  type ConstraintViolation,
  type Violation,
  ViolationError,
} from '../../graphql/violations.ts';
import { type FieldTypes, writeField } from './field-types.ts';
import type { Shape, TypedField } from './typed-form.ts';

interface ValuesOptions {
  readonly name: string;
  readonly description: string;
  /** Whether required fields must have a value. */
  readonly isWhole: boolean;
}

/** Prepares the fields of a form, or the parameters of a rule, as inputs. */
export function createValues(
  fields: readonly TypedField[],
  types: FieldTypes,
  typeOf: (field: TypedField) => GraphQLInputType,
) {
  const inputs = fields.map((field) => {
    const constraint = createFieldConstraint(field, types);
    const config = {
      type: typeOf(field),
      description: field.description,
      ...withConstraint(constraint),
    };
    return { ...field, constraint, config };
  });
  return {
    /**
     * Creates the input type of the values; `undefined` if there are no fields, since GraphQL has
     * no empty types.
     */
    inputOf({ name, description, isWhole }: ValuesOptions): GraphQLInputObjectType | undefined {
      if (inputs.length === 0) return undefined;
      const configs = inputs.map(({ name: field, record, config }) => {
        const isDue = isWhole && record.required === true;
        return [
          field,
          isDue ? { ...config, type: new GraphQLNonNull(config.type) } : config,
        ] as const;
      });
      return new GraphQLInputObjectType({ name, description, fields: Object.fromEntries(configs) });
    },
    /**
     * Converts input values to the platform's names and notation. `place` is the member of the
     * input that contains them.
     *
     * @throws {GraphQLError} BAD_USER_INPUT listing every value that violates a constraint.
     */
    write(input: unknown, place: string): JsonObject {
      const given = (input ?? {}) as Readonly<Record<string, unknown>>;
      const named = inputs.filter(({ name }) => given[name] !== undefined);
      const violations = named.flatMap(({ name, constraint }): Violation[] => {
        const violation = constraint(given[name]);
        return violation === undefined ? [] : [{ path: ['input', place, name], ...violation }];
      });
      if (violations.length > 0) throw new ViolationError(violations);
      return Object.fromEntries(
        named.map((field) => [field.record.name, writeField(types, field, given[field.name])]),
      );
    },
  };
}

/** Returns a function that checks a field's value, which already has the right type. */
function createFieldConstraint(field: TypedField, types: FieldTypes): Constraint {
  const { record, shape, isList } = field;
  const { check } = types[shape.kind];
  return (value) => {
    if (isEmpty(value, shape)) return record.required === true ? REQUIRED : undefined;
    if (!isList) return check?.(value, field);
    const values = value as readonly unknown[];
    if (values.length === 0) return record.required === true ? NOT_EMPTY : undefined;
    return values.map((item) => check?.(item, field)).find((violation) => violation !== undefined);
  };
}

const REQUIRED: ConstraintViolation = { constraint: 'required', message: 'must have a value' };
const NOT_EMPTY: ConstraintViolation = {
  constraint: 'minItems',
  limit: 1,
  message: 'must have a value',
};

// Forms store an empty text for a field that was not filled in.
const isEmpty = (value: unknown, { kind }: Shape): boolean =>
  value === null || value === undefined || (value === '' && kind === 'text');
