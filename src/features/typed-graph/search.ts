import {
  type GraphQLEnumType,
  type GraphQLFieldConfigArgumentMap,
  GraphQLID,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql';

import type { CriterionInput, OrderInput } from '../../__generated__/resolvers.ts';
import { InputError } from '../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { type ConnectionArgs, toInstanceId } from '../../graphql/relay.ts';
import { DateScalar } from '../../graphql/scalars.ts';
import type { Dialect, SearchOperator } from '../../upstream/dialect.ts';
import { hasOperator, isFieldEncodable } from '../../upstream/search.ts';
import type { GenericTypes } from './generic-types.ts';
import type { PlainKind, Shape, TypedForm } from './typed-form.ts';
import type { EnumOf } from './values.ts';

/** How a form's instances are searched, ordered and paged. */
export interface Search {
  readonly args: GraphQLFieldConfigArgumentMap;
  readonly toGeneric: ToGenericArgs;
}

interface SearchParts {
  readonly genericTypes: GenericTypes;
  readonly filters: Filters;
  readonly enumOf: EnumOf;
}

/** Makes the inputs that search and order a form's instances. */
export function createSearch(form: TypedForm, { genericTypes, filters, enumOf }: SearchParts): Search {
  const { fields, names, title } = form;
  const encodable = fields.filter(({ record }) => isFieldEncodable(record.name));

  const conditions = encodable.flatMap((field) => {
    const choices = enumOf(field);
    const type =
      field.shape.kind === 'reference'
        ? filters.byId
        : choices
          ? filters.choice(choices, names.enums.get(field.name)?.filter ?? choices.name)
          : filters.plain(field.shape.kind === 'choice' ? 'text' : field.shape.kind);
    return type ? [[field.name, { type, description: field.description }] as const] : [];
  });
  const byId = filters.byId
    ? [['instanceId', { type: filters.byId, description: 'The platform’s `idInstance`.' }]]
    : [];
  const where = new GraphQLInputObjectType({
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

  return {
    args: {
      ...(byId.length + conditions.length > 0 && {
        where: { type: where, description: WHERE },
      }),
      ...(orders.length > 0 && {
        orderBy: {
          type: new GraphQLList(new GraphQLNonNull(order)),
          description:
            'Sort keys, of which earlier ones take precedence; without them the order is that of ids, in which pages go by id. In any other, rows that come and go in front of a page shift it.',
        },
      }),
      ...genericTypes.pageArgs,
    },
    toGeneric: createToGenericArgs(form, genericTypes.dialect),
  };
}

const WHERE = 'Conditions, all of which must hold. Together with `orderBy` at most 4,000 characters.';

type Filters = ReturnType<typeof createFilters>;

/** Makes the inputs that filter lists by one field, each once; `undefined` where the platform has no operator that would do. */
export function createFilters({ dialect, scalars }: GenericTypes) {
  const made = new Map<string, GraphQLInputObjectType | undefined>();

  const filter = (name: string, type: GraphQLInputType, kind: Shape['kind']) => {
    if (made.has(name)) return made.get(name);
    const fields = filtersFor(kind, dialect).map((word) => {
      const value = word === 'in' ? new GraphQLList(new GraphQLNonNull(type)) : type;
      return [word, { type: value, description: FILTERS[word].description }] as const;
    });
    const description = `What a field is compared with; all that is given must hold. ${NOTATION}`;
    const input = new GraphQLInputObjectType({ name, description, fields: Object.fromEntries(fields) });
    made.set(name, fields.length === 0 ? undefined : input);
    return made.get(name);
  };

  return {
    byId: filter(FILTER_NAMES.reference, GraphQLID, 'reference'),
    plain: (kind: PlainKind) => filter(FILTER_NAMES[kind], kind === 'datetime' ? DateScalar : scalars[kind], kind),
    choice: (choices: GraphQLEnumType, name: string) => filter(name, choices, 'choice'),
  };
}

const NOTATION = 'A value that holds `,`, `:` or `=` is refused: the platform’s search has no way to say it.';

/** The names of the filters that all forms share. */
export const FILTER_NAMES: Readonly<Record<PlainKind | 'reference', string>> = {
  text: 'TextFilterInput',
  int: 'IntFilterInput',
  long: 'LongFilterInput',
  float: 'FloatFilterInput',
  decimal: 'DecimalFilterInput',
  boolean: 'BooleanFilterInput',
  date: 'DateFilterInput',
  datetime: 'DateTimeFilterInput',
  json: 'JSONFilterInput',
  reference: 'IDFilterInput',
};

type FilterWord = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'like' | 'contains' | 'startsWith' | 'in';

/** The criteria that the fields of a filter stand for. */
const FILTERS: Readonly<Record<FilterWord, { readonly operator: SearchOperator; readonly description: string }>> = {
  eq: { operator: 'EQ', description: 'Equal to this.' },
  ne: { operator: 'NE', description: 'Not equal to this.' },
  gt: { operator: 'GT', description: 'Greater than this.' },
  gte: { operator: 'GE', description: 'Greater than this or equal to it.' },
  lt: { operator: 'LT', description: 'Less than this.' },
  lte: { operator: 'LE', description: 'Less than this or equal to it.' },
  like: { operator: 'LIKE', description: 'Matches this pattern, in the platform’s own pattern syntax.' },
  contains: { operator: 'CONTAINS', description: 'Contains this text. The platform decides whether case matters.' },
  startsWith: {
    operator: 'STARTS_WITH',
    description: 'Starts with this text. The platform decides whether case matters.',
  },
  in: { operator: 'IN', description: 'Equal to one of these.' },
};

const EXACT: readonly FilterWord[] = ['eq', 'ne', 'in'];
const ORDERED: readonly FilterWord[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in'];

/** By what the values of each type are searched. */
const FITTING: Readonly<Record<Shape['kind'], readonly FilterWord[]>> = {
  text: ['eq', 'ne', 'contains', 'startsWith', 'like', 'in'],
  int: ORDERED,
  long: ORDERED,
  float: ORDERED,
  decimal: ORDERED,
  boolean: ['eq', 'ne'],
  date: ORDERED,
  // The platform's notation cannot carry a time, only a day: from it on, or before it.
  datetime: ['gte', 'lt'],
  choice: EXACT,
  reference: EXACT,
  json: [],
};

/** The operators that fit a type's values and that the platform has. */
const filtersFor = (kind: Shape['kind'], { search }: Dialect): readonly FilterWord[] =>
  FITTING[kind].filter((word) => hasOperator(FILTERS[word].operator, search));

/** Converts the arguments of a typed list to those of a generic one. @throws {InputError} for what cannot be expressed. */
export type ToGenericArgs = (args: Readonly<Record<string, unknown>>) => ConnectionArgs;

/** A field as a search names it. */
interface SearchField {
  /** The platform's name. */
  readonly name: string;
  /** The form whose instances its values name. */
  readonly formId?: string;
}

/** Creates the filter of a form. */
function createToGenericArgs({ formId, fields }: TypedForm, { search }: Dialect): ToGenericArgs {
  const byName = new Map<string, SearchField>([
    ['instanceId', { name: search.instanceId, formId }],
    ...fields.map(({ name, record, shape }): [string, SearchField] => [
      name,
      { name: record.name, ...(shape.kind === 'reference' && { formId: shape.formId }) },
    ]),
  ]);
  const fieldOf = (name: string): SearchField => byName.get(name) ?? { name };

  const toOrder = (order: JsonObject): OrderInput[] =>
    Object.entries(order).map(([name, direction]) => ({
      field: fieldOf(name).name,
      direction: direction as OrderInput['direction'],
    }));
  return ({ where, orderBy, ...page }) => ({
    ...page,
    where: isJsonObject(where) ? Object.entries(where).flatMap(([name, filter]) => toCriteria(name, filter)) : [],
    orderBy: ((orderBy ?? []) as readonly JsonObject[]).flatMap(toOrder),
  });

  function toCriteria(name: string, filter: Json): CriterionInput[] {
    if (!isJsonObject(filter)) throw new InputError(`where.${name} must name an operator and a value.`);
    const { name: field, formId: target } = fieldOf(name);
    return Object.entries(filter).map(([word, value]) => {
      if (value === null) throw new InputError(`where.${name}.${word} must have a value; leave it out instead.`);
      const { operator } = FILTERS[word as FilterWord];
      return { field, operator, value: target === undefined ? value : toPlatformIds(target, value) };
    });
  }
}

function toPlatformIds(formId: string, value: Json): Json {
  if (Array.isArray(value)) return value.map((id) => toInstanceId(formId, String(id)));
  return toInstanceId(formId, String(value));
}
