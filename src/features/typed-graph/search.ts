import {
  type GraphQLFieldConfigArgumentMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql';

import type { CriterionInput, OrderInput } from '../../__generated__/resolvers.ts';
import { InputError } from '../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { ConnectionArgs } from '../../graphql/relay.ts';
import type { SearchOperator } from '../../upstream/dialect.ts';
import { hasOperator, isFieldEncodable } from '../../upstream/search.ts';
import { type FilterWord, filterNameOf, type TypeOf } from './field-types.ts';
import type { GenericTypes } from './generic-types.ts';
import type { Shape, TypedForm } from './typed-form.ts';

/** The arguments of a form's list, and their conversion. */
export interface Search {
  readonly args: GraphQLFieldConfigArgumentMap;
  readonly toGeneric: ToGenericArgs;
}

/**
 * Returns the input that filters fields of a kind, or by an enum; `undefined` if the platform does
 * not support any of its operators.
 */
type FilterOf = (
  kind: Shape['kind'],
  type?: GraphQLInputType,
  name?: string,
) => GraphQLInputObjectType | undefined;

interface SearchParts {
  readonly genericTypes: GenericTypes;
  readonly filterOf: FilterOf;
  readonly typeOf: TypeOf;
}

/** Creates the inputs that filter and order a form's instances. */
export function createSearch(
  form: TypedForm,
  { genericTypes, filterOf, typeOf }: SearchParts,
): Search {
  const { fields, names, title } = form;
  // The interface defines no search or order for fields with several values.
  const encodable = fields.filter(({ record, isList }) => isFieldEncodable(record.name) && !isList);

  const conditions = encodable.flatMap((field) => {
    const { kind } = field.shape;
    const ofEnum = names.enums.get(field.name)?.filter;
    const type = ofEnum === undefined ? filterOf(kind) : filterOf(kind, typeOf(field), ofEnum);
    return type ? [[field.name, { type, description: field.description }] as const] : [];
  });
  const idFilter = filterOf('reference');
  const byId = idFilter
    ? [['instanceId', { type: idFilter, description: 'The platform’s `idInstance`.' }]]
    : [];
  const filter = new GraphQLInputObjectType({
    name: names.filter,
    description: `Conditions on instances of ${title}, all of which must hold.`,
    fields: Object.fromEntries([...byId, ...conditions]),
  });
  const { sortDirection: type } = genericTypes;
  const orders = encodable.flatMap(({ name, shape, description }) =>
    type && shape.kind !== 'json' ? [[name, { type, description }] as const] : [],
  );
  const order = new GraphQLInputObjectType({
    name: names.order,
    description: `One sort key of instances of ${title}: a field and its direction.`,
    isOneOf: true,
    fields: Object.fromEntries(orders),
  });

  const { where, orderBy, ...pageArgs } = genericTypes.many.args;
  return {
    args: {
      ...(byId.length + conditions.length > 0 && { where: { ...where, type: filter } }),
      ...(orders.length > 0 && {
        orderBy: { ...orderBy, type: new GraphQLList(new GraphQLNonNull(order)) },
      }),
      ...pageArgs,
    },
    toGeneric: createToGenericArgs(form, genericTypes),
  };
}

/** Returns a function that creates filter inputs. Each input is created once. */
export function createFilters({ dialect, types }: GenericTypes): FilterOf {
  const made = new Map<string, GraphQLInputObjectType | undefined>();
  return (
    kind,
    type = types[kind].searchedAs ?? types[kind].type,
    name = filterNameOf(types[kind]),
  ) => {
    if (made.has(name)) return made.get(name);
    const words = types[kind].words.filter((word) =>
      hasOperator(FILTERS[word].operator, dialect.search),
    );
    const fields = words.map((word) => {
      const value = word === 'in' ? new GraphQLList(new GraphQLNonNull(type)) : type;
      return [word, { type: value, description: FILTERS[word].description }] as const;
    });
    const description = `What a field is compared with; all that is given must hold. ${NOTATION}`;
    const input = new GraphQLInputObjectType({
      name,
      description,
      fields: Object.fromEntries(fields),
    });
    made.set(name, fields.length === 0 ? undefined : input);
    return made.get(name);
  };
}

const NOTATION =
  'A value that holds `,`, `:` or `=` is refused: the platform’s search has no way to say it.';

/** The search operator of each member of a filter. */
const FILTERS: Readonly<
  Record<FilterWord, { readonly operator: SearchOperator; readonly description: string }>
> = {
  eq: { operator: 'EQ', description: 'Equal to this.' },
  ne: { operator: 'NE', description: 'Not equal to this.' },
  gt: { operator: 'GT', description: 'Greater than this.' },
  gte: { operator: 'GE', description: 'Greater than this or equal to it.' },
  lt: { operator: 'LT', description: 'Less than this.' },
  lte: { operator: 'LE', description: 'Less than this or equal to it.' },
  like: {
    operator: 'LIKE',
    description: 'Matches this pattern, in the platform’s own pattern syntax.',
  },
  contains: {
    operator: 'CONTAINS',
    description: 'Contains this text. The platform decides whether case matters.',
  },
  startsWith: {
    operator: 'STARTS_WITH',
    description: 'Starts with this text. The platform decides whether case matters.',
  },
  in: { operator: 'IN', description: 'Equal to one of these.' },
};

/**
 * Converts the arguments of a typed list to the arguments of a generic one.
 *
 * @throws {InputError} for arguments that the platform's search cannot express.
 */
export type ToGenericArgs = (args: Readonly<Record<string, unknown>>) => ConnectionArgs;

/** Returns the conversion for a form's list. */
function createToGenericArgs(
  { formId, fields }: TypedForm,
  { types, dialect: { search } }: GenericTypes,
): ToGenericArgs {
  /** Returns the platform's name of a field, and the shape of its values. */
  const find = (name: string): readonly [field: string, shape: Shape] => {
    const field = fields.find((one) => one.name === name);
    // The only other argument is `instanceId`.
    return field
      ? [field.record.name, field.shape]
      : [search.instanceId, { kind: 'reference', formId }];
  };
  const toOrder = (order: JsonObject): OrderInput[] =>
    Object.entries(order).map(([name, direction]) => ({
      field: find(name)[0],
      direction: direction as OrderInput['direction'],
    }));
  return ({ where, orderBy, ...page }) => ({
    ...page,
    where: isJsonObject(where)
      ? Object.entries(where).flatMap(([name, filter]) => toCriteria(name, filter))
      : [],
    orderBy: ((orderBy ?? []) as readonly JsonObject[]).flatMap(toOrder),
  });

  function toCriteria(name: string, filter: Json): CriterionInput[] {
    if (!isJsonObject(filter))
      throw new InputError(`where.${name} must name an operator and a value.`);
    const [field, shape] = find(name);
    const { writeSearched = unchanged } = types[shape.kind];
    return Object.entries(filter).map(([word, value]) => {
      if (value === null)
        throw new InputError(`where.${name}.${word} must have a value; leave it out instead.`);
      const { operator } = FILTERS[word as FilterWord];
      const written = Array.isArray(value)
        ? value.map((one) => writeSearched(one, shape))
        : writeSearched(value, shape);
      return { field, operator, value: written };
    });
  }
}

const unchanged = (value: Json): Json => value;
