import {
  type GraphQLEnumType,
  type GraphQLFieldConfigArgumentMap,
  GraphQLID,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql';

import type { CriterionInput, OrderInput } from '../__generated__/resolvers.ts';
import type { ConnectionArgs } from '../graphql/connections.ts';
import type { Dialect, SearchOperator } from '../upstream/dialect.ts';
import { InputError } from '../upstream/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../upstream/json.ts';
import { isFieldSayable } from '../upstream/search.ts';
import type { TypeBasis } from './basis.ts';
import { DateScalar } from './scalars.ts';
import type { PlainKind, Shape, TypedForm } from './typed-form.ts';
import type { EnumOf } from './value-types.ts';

/** How a form's instances are searched, ordered and paged. */
export interface Search {
  readonly args: GraphQLFieldConfigArgumentMap;
  readonly toGeneric: ToGenericArgs;
}

interface SearchParts {
  readonly basis: TypeBasis;
  readonly filters: Filters;
  readonly enumOf: EnumOf;
}

/** Makes the inputs that search and order a form's instances. */
export function createSearch(form: TypedForm, { basis, filters, enumOf }: SearchParts): Search {
  const { fields, names, title } = form;
  const sayable = fields.filter(({ record }) => isFieldSayable(record.name));

  const conditions = sayable.flatMap((field) => {
    const choices = enumOf(field);
    const type =
      field.shape.kind === 'reference'
        ? filters.byId
        : choices
          ? filters.choice(choices)
          : filters.plain(field.shape.kind === 'choice' ? 'text' : field.shape.kind);
    return type ? [[field.name, { type, description: field.description }] as const] : [];
  });
  const byId = filters.byId
    ? [['instanceId', { type: filters.byId, description: 'The platform’s `idInstance`.' }]]
    : [];
  const where = new GraphQLInputObjectType({
    name: `${names.type}Where`,
    description: `Conditions on instances of ${title}, which must all hold.`,
    fields: Object.fromEntries([...byId, ...conditions]),
  });
  const orders = sayable
    .filter(({ shape }) => shape.kind !== 'json')
    .map((field) => [field.name, { type: basis.sortDirection, description: field.description }] as const);
  const order = new GraphQLInputObjectType({
    name: `${names.type}OrderBy`,
    description: `One key of an ordering of instances of ${title}: one field and its direction.`,
    isOneOf: true,
    fields: Object.fromEntries(orders),
  });

  return {
    args: {
      ...(byId.length + conditions.length > 0 && {
        where: { type: where, description: 'Conditions that must all hold.' },
      }),
      ...(orders.length > 0 && {
        orderBy: {
          type: new GraphQLList(new GraphQLNonNull(order)),
          description: 'Keys to order by, earlier ones weigh more; without it the order is the platform’s.',
        },
      }),
      ...basis.pageArgs,
    },
    toGeneric: createToGenericArgs(
      new Map([['instanceId', basis.dialect.search.instanceId], ...fields.map(toPlatformName)]),
    ),
  };
}

const toPlatformName = ({ name, record }: TypedForm['fields'][number]) => [name, record.name] as const;

/** The inputs that filter lists by one field; `undefined` where the platform has no operator that would do. */
export interface Filters {
  readonly byId: GraphQLInputObjectType | undefined;
  plain(kind: PlainKind): GraphQLInputObjectType | undefined;
  choice(choices: GraphQLEnumType): GraphQLInputObjectType | undefined;
}

/** Makes the filters, each once. */
export function createFilters({ dialect, scalars }: TypeBasis): Filters {
  const made = new Map<string, GraphQLInputObjectType | undefined>();

  const filter = (stem: string, type: GraphQLInputType, kind: Shape['kind']) => {
    const name = `${stem}FilterInput`;
    if (made.has(name)) return made.get(name);
    const fields = operatorsFor(kind, dialect).map((operator) => {
      const value = operator === 'IN' ? new GraphQLList(new GraphQLNonNull(type)) : type;
      return [spell(operator), { type: value, description: MEANINGS[operator] }] as const;
    });
    const description = `What a field is compared with; all that is given must hold. ${NOTATION}`;
    const input = new GraphQLInputObjectType({ name, description, fields: Object.fromEntries(fields) });
    made.set(name, fields.length === 0 ? undefined : input);
    return made.get(name);
  };

  return {
    byId: filter('ID', GraphQLID, 'reference'),
    plain: (kind) => filter(STEMS[kind], kind === 'datetime' ? DateScalar : scalars[kind], kind),
    choice: (choices) => filter(choices.name, choices, 'choice'),
  };
}

const NOTATION = 'A value that holds `,`, `:` or `=` is refused: the platform’s search has no way to say it.';

const STEMS: Readonly<Record<PlainKind, string>> = {
  text: 'Text',
  int: 'Int',
  long: 'Long',
  float: 'Float',
  decimal: 'Decimal',
  boolean: 'Boolean',
  date: 'Date',
  datetime: 'DateTime',
  json: 'JSON',
};

const EXACT: readonly SearchOperator[] = ['EQ', 'NE', 'IN'];
const ORDERED: readonly SearchOperator[] = ['EQ', 'NE', 'GT', 'GE', 'LT', 'LE', 'IN'];

/** By which operators the values of each type are searched. */
const FITTING: Readonly<Record<Shape['kind'], readonly SearchOperator[]>> = {
  text: ['EQ', 'NE', 'LIKE', 'IN'],
  int: ORDERED,
  long: ORDERED,
  float: ORDERED,
  decimal: ORDERED,
  boolean: ['EQ', 'NE'],
  date: ORDERED,
  // The platform's notation cannot carry a time, only a day: from it on, or before it.
  datetime: ['GE', 'LT'],
  choice: EXACT,
  reference: EXACT,
  json: [],
};

/** Gives the operators that fit a type's values and that the platform has. */
export const operatorsFor = (kind: Shape['kind'], { search }: Dialect): readonly SearchOperator[] =>
  FITTING[kind].filter((operator) => search.operators[operator] !== null);

/** How an operator is spelled as a field of a filter. */
export const spell = (operator: SearchOperator): string => operator.toLowerCase();

export const MEANINGS: Readonly<Record<SearchOperator, string>> = {
  EQ: 'Equal to this.',
  NE: 'Not equal to this.',
  GT: 'Greater than this.',
  GE: 'Greater than this or equal to it.',
  LT: 'Less than this.',
  LE: 'Less than this or equal to it.',
  LIKE: 'Matches this pattern; how patterns are written is the platform’s.',
  IN: 'Equal to one of these.',
};

/** Says the arguments of a typed list as those of a generic one. @throws {InputError} for what cannot be said. */
export type ToGenericArgs = (args: Readonly<Record<string, unknown>>) => ConnectionArgs;

/** Makes it for a form. `fields` are the platform's names of its fields, by those of the graph. */
export function createToGenericArgs(fields: ReadonlyMap<string, string>): ToGenericArgs {
  const platformName = (name: string): string => fields.get(name) ?? name;

  const toOrder = (order: JsonObject): OrderInput[] =>
    Object.entries(order).map(([name, direction]) => ({
      field: platformName(name),
      direction: direction as OrderInput['direction'],
    }));
  return ({ where, orderBy, ...page }) => ({
    ...page,
    where: isJsonObject(where) ? Object.entries(where).flatMap(([name, filter]) => toCriteria(name, filter)) : [],
    orderBy: ((orderBy ?? []) as readonly JsonObject[]).flatMap(toOrder),
  });

  function toCriteria(name: string, filter: Json): CriterionInput[] {
    if (!isJsonObject(filter)) throw new InputError(`where.${name} must name an operator and a value.`);
    return Object.entries(filter).map(([operator, value]) => {
      if (value === null) throw new InputError(`where.${name}.${operator} must have a value; leave it out instead.`);
      return { field: platformName(name), operator: operator.toUpperCase() as SearchOperator, value };
    });
  }
}
