import { GraphQLEnumType, GraphQLInputObjectType, GraphQLNonNull } from 'graphql';
import type { GenericTypes } from './generic-types.ts';
import { addSuffix, nameChoices } from './names.ts';
import type { TypedField, TypedForm } from './typed-form.ts';

/**
 * Creates the input that orders a form's instances: a field, and its direction. The values of its enum
 * are the platform's names of the fields.
 *
 * @param fields the fields that a search can contain.
 * @returns `undefined` if the platform ignores the order.
 */
export function createOrder(
  { names, title }: TypedForm,
  fields: readonly TypedField[],
  { order, dialect }: GenericTypes,
): GraphQLInputObjectType | undefined {
  if (order === undefined) return undefined;
  const { field, ...others } = order;
  const sortable = fields.filter(({ shape }) => !['json', 'reference'].includes(shape.kind));
  const id = { value: dialect.search.instanceId, description: 'The platform’s `idInstance`.' };
  const type = new GraphQLEnumType({
    name: names.orderField,
    description: `The fields that order instances of ${title}.`,
    values: { [ID]: id, ...enumValuesOf(sortable, ({ record }) => record.name) },
  });
  return new GraphQLInputObjectType({
    name: names.order,
    description: `One sort key of instances of ${title}; earlier keys take precedence.`,
    fields: {
      field: { ...field, type: new GraphQLNonNull(type), description: 'The field.' },
      ...others,
    },
  });
}

/** The id's name among the fields. */
const ID = 'INSTANCE_ID';

/** Returns the values of an enum of fields: `neededBy` is `NEEDED_BY`. */
export function enumValuesOf<T>(
  fields: readonly TypedField[],
  toValue: (field: TypedField) => T,
): Readonly<Record<string, { readonly value: T; readonly description: string }>> {
  const names = nameChoices(fields.map(({ name }) => ({ text: name })));
  const values = fields.map((field) => {
    const name = names.get(field.name) ?? '';
    const { description } = field;
    return [
      name === ID ? addSuffix(name, field.name) : name,
      { value: toValue(field), description },
    ] as const;
  });
  return Object.fromEntries(values);
}
