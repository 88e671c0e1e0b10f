import {
  GraphQLEnumType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql';
import { UpstreamError } from '../../core/errors.ts';
import type { OperationContext } from '../../graphql/context.ts';
import { readsList } from '../../graphql/entity-fields.ts';
import { findTargets, type SearchKey, searchCalls } from '../../graphql/reference-conditions.ts';
import { type ConnectionArgs, createListKeys } from '../../graphql/relay.ts';
import { type RootMeaning, withCost } from '../../graphql/schema-metadata.ts';
import { INSTANCES } from '../../upstream/resources/instances.ts';
import { hasOperator, isEncodable } from '../../upstream/search.ts';
import type { FormTypes } from './form-types.ts';
import type { GenericTypes, RootField } from './generic-types.ts';
import { enumValuesOf } from './order.ts';
import { searchableFields } from './search.ts';
import type { TypedField } from './typed-form.ts';

/** The most values of a field whose instances are counted: each is one call. */
const MAX_VALUES = 50;

/** The name of the type of a count, which all forms share. */
export const COUNT_TYPE = 'ChoiceCount';

/** One value of a field. */
interface CountedValue {
  /** The platform's text of it. */
  readonly value: string;
  /** Its name in the enum; `null` for a boolean. */
  readonly enumValue: string | null;
}

/** The values of a field that counts can be made by. */
interface CountedField {
  /** The platform's name. */
  readonly name: string;
  readonly values: readonly CountedValue[];
}

/** Creates the `Query` fields that count the instances of each form by the values of a field. */
export function createCounts(
  forms: readonly FormTypes[],
  genericTypes: GenericTypes,
): readonly RootField[] {
  const { dialect } = genericTypes;
  if (!hasOperator('EQ', dialect.search)) return [];
  const type = createCountType();
  return forms.flatMap((form) => createCount(form, type, genericTypes));
}

const createCountType = () =>
  new GraphQLObjectType<CountedValue & { readonly count: number }>({
    name: COUNT_TYPE,
    description: 'The number of instances that have one value in a field.',
    fields: {
      value: { type: new GraphQLNonNull(GraphQLString), description: 'The platform’s text.' },
      enumValue: {
        type: GraphQLString,
        description: 'The value’s name in the field’s enum; `null` for a boolean.',
      },
      count: { type: new GraphQLNonNull(GraphQLInt), description: 'The number of instances.' },
    },
  });

function createCount(
  { form, search }: FormTypes,
  type: GraphQLObjectType,
  genericTypes: GenericTypes,
): readonly RootField[] {
  const { formId, names, title } = form;
  const countedFields = new Map<string, CountedField>();
  for (const field of searchableFields(form)) {
    const values = valuesOf(field, genericTypes);
    if (values.length > 0) countedFields.set(field.name, { name: field.record.name, values });
  }
  if (countedFields.size === 0) return [];

  const countable = form.fields.filter(({ name }) => countedFields.has(name));
  const by = new GraphQLEnumType({
    name: names.countField,
    description: `The fields by whose values instances of ${title} are counted.`,
    values: enumValuesOf(countable, ({ name }) => countedFields.get(name)),
  });
  const readKey = createListKeys(({ where }: CountArgs) => search.toGeneric({ where, first: 0 }));
  const { meaning } = readsList(INSTANCES, { formId }, search.toGeneric);
  const { where } = search.args;

  const mostValues = Math.max(...[...countedFields.values()].map(({ values }) => values.length));
  const cost: RootMeaning['cost'] = (_place, args, atCost) => {
    const { by: field } = args as Partial<CountArgs>;
    const lists = field?.values.length ?? mostValues;
    const { own, shared } = searchCalls(
      INSTANCES.list,
      { records: lists, forms: 1 },
      () => readKey(args as CountArgs & typeof args),
      atCost,
    );
    return { own, shared, children: { objects: lists, records: 0, forms: 0 } };
  };

  const field: RootField[1] = {
    type: new GraphQLList(new GraphQLNonNull(type)),
    description:
      `${title}: the number of instances by the values of a field, in the order of its definition. ` +
      'One upstream call for each value.',
    args: {
      by: {
        type: new GraphQLNonNull(by),
        description: `A choice of at most ${MAX_VALUES} values, or a boolean.`,
      },
      ...(where && { where }),
    },
    resolve: (_root, args, context) =>
      countValues(formId, args['by'], readKey(args as CountArgs), context),
    ...withCost(cost, meaning),
  };
  return [[names.counts, field]];
}

interface CountArgs extends ConnectionArgs {
  readonly by: CountedField;
}

/**
 * Returns the values of a choice or a boolean. Returns an empty list if one of them cannot be
 * searched for, or if there are too many.
 */
function valuesOf({ shape }: TypedField, { types }: GenericTypes): readonly CountedValue[] {
  let values: readonly CountedValue[] = [];
  if (shape.kind === 'choice') {
    values = [...shape.choices].map(([value, { name }]) => ({ value, enumValue: name }));
  }
  if (shape.kind === 'boolean') {
    const { writeSearched } = types.boolean;
    values = [true, false].map((value) => ({
      value: String(writeSearched?.(value, shape)),
      enumValue: null,
    }));
  }
  const isCountable =
    values.length <= MAX_VALUES && values.every(({ value }) => isEncodable(value));
  return isCountable ? values : [];
}

/**
 * Counts the instances with each value.
 *
 * @throws {UpstreamError} `malformed` if the platform states no total.
 */
async function countValues(
  formId: string,
  { name: field, values }: CountedField,
  searched: SearchKey,
  context: OperationContext,
) {
  const key = await findTargets(searched, context);
  const { lists } = context.loaders.of(INSTANCES, formId);
  const counts = values.map(async ({ value, enumValue }) => {
    const condition = { field, operator: 'EQ' as const, values: [value] };
    const { total } = await lists.load({ ...key, where: [...key.where, condition] });
    if (total === undefined) throw withoutTotal();
    return { value, enumValue, count: total };
  });
  return Promise.all(counts);
}

const withoutTotal = (): UpstreamError =>
  new UpstreamError('malformed', {
    operation: INSTANCES.list.name,
    advice:
      'The list has no total, so nothing can be counted. If the platform has one, set its member in list.total of the dialect.',
  });
