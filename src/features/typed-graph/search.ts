import {
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql';

import type { CriterionInput } from '../../__generated__/resolvers.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { type ConnectionArgs, checkSearched, type SearchArgs } from '../../graphql/relay.ts';
import { invalidAt, readAt } from '../../graphql/violations.ts';
import type { SearchOperator } from '../../upstream/dialect.ts';
import { hasOperator, isFieldEncodable } from '../../upstream/search.ts';
import { type FilterWord, filterNameOf, type TypeOf } from './field-types.ts';
import type { GenericTypes } from './generic-types.ts';
import { createOrder } from './order.ts';
import type { Shape, TypedField, TypedForm } from './typed-form.ts';

/** The arguments of a form's list, and their conversion. */
export interface Search {
  readonly args: GraphQLFieldConfigArgumentMap;
  readonly toGeneric: ToGenericArgs;
  /**
   * The input for reference fields that lead to the form. `undefined` if the platform cannot search
   * by several ids.
   */
  readonly referenceFilter: GraphQLInputObjectType | undefined;
  /**
   * Converts conditions on instances of the form.
   *
   * @param path the conditions' place in the arguments, for messages.
   */
  readonly toCriteria: (where: Json, path: readonly string[]) => Conditions;
}

type ReferenceInput = NonNullable<SearchArgs['references']>[number];

/** Conditions in generic words. */
type Conditions = Required<Pick<SearchArgs, 'references'>> & {
  readonly where: readonly CriterionInput[];
};

/**
 * Returns the input that filters fields of a kind, or by an enum; `undefined` if the platform does
 * not support any of its operators.
 */
export type FilterOf = (
  kind: Shape['kind'],
  type?: GraphQLInputType,
  name?: string,
) => GraphQLInputObjectType | undefined;

interface SearchParts {
  readonly genericTypes: GenericTypes;
  readonly filterOf: FilterOf;
  readonly typeOf: TypeOf;
  /** Returns the search of another form, after all searches are created. */
  readonly searchOf: (formId: string) => Search | undefined;
}

/** Creates the inputs that search and order a form's instances. */
export function createSearch(form: TypedForm, parts: SearchParts): Search {
  const { genericTypes, filterOf, typeOf, searchOf } = parts;
  const { names, title } = form;
  const fields = searchableFields(form);
  const idFilter = filterOf('reference');

  const plainFilter = (field: TypedField): GraphQLInputObjectType | undefined => {
    const ofEnum = names.enums.get(field.name)?.filter;
    const { kind } = field.shape;
    return ofEnum === undefined ? filterOf(kind) : filterOf(kind, typeOf(field), ofEnum);
  };
  const referenceFilterOf = ({ shape }: TypedField) =>
    shape.kind === 'reference' ? searchOf(shape.formId)?.referenceFilter : undefined;

  const toConditions = (typeOfFilter: typeof plainFilter): GraphQLInputFieldConfigMap => {
    const conditions: GraphQLInputFieldConfigMap = {};
    if (idFilter) {
      conditions['instanceId'] = { type: idFilter, description: 'The platform’s `idInstance`.' };
    }
    for (const field of fields) {
      const type = typeOfFilter(field);
      if (type) conditions[field.name] = { type, description: field.description };
    }
    return conditions;
  };
  const hasConditions = Object.keys(toConditions(plainFilter)).length > 0;

  const filter = new GraphQLInputObjectType({
    name: names.filter,
    description: `Conditions on instances of ${title}, all of which must hold.`,
    fields: () => toConditions((field) => referenceFilterOf(field) ?? plainFilter(field)),
  });
  const order = createOrder(form, fields, genericTypes);

  const { where, orderBy, ...pageArgs } = genericTypes.many.args;
  const args = {
    ...(hasConditions && { where: { ...where, type: filter } }),
    ...(order && { orderBy: { ...orderBy, type: new GraphQLList(new GraphQLNonNull(order)) } }),
    ...pageArgs,
  };

  const canFindTargets = idFilter && hasOperator('IN', genericTypes.dialect.search);
  const referenceFilter = canFindTargets
    ? createReferenceFilter(form, idFilter, () => toConditions(plainFilter))
    : undefined;
  const toCriteria = createToCriteria(form, parts);
  const toGeneric: ToGenericArgs = ({ where: conditions, orderBy: keys, ...page }) => ({
    ...page,
    ...toCriteria((conditions ?? {}) as Json, ['where']),
    orderBy: (keys ?? []) as NonNullable<ConnectionArgs['orderBy']>,
  });
  return { args, toGeneric, referenceFilter, toCriteria };
}

/** Returns the fields that can be searched and ordered by. The interface defines neither for several values. */
export const searchableFields = ({ fields }: TypedForm): readonly TypedField[] =>
  fields.filter(({ record, isList }) => isFieldEncodable(record.name) && !isList);

/** Creates the input for reference fields that lead to a form: its operators, and conditions on the target. */
function createReferenceFilter(
  { names, title }: TypedForm,
  idFilter: GraphQLInputObjectType,
  toConditions: () => GraphQLInputFieldConfigMap,
): GraphQLInputObjectType {
  const target = new GraphQLInputObjectType({
    name: names.targetFilter,
    description: `Conditions on the ${title} that a reference leads to, all of which must hold.`,
    fields: toConditions,
  });
  const { fields, description } = idFilter.toConfig();
  return new GraphQLInputObjectType({
    name: names.referenceFilter,
    description,
    fields: { ...fields, where: { type: target, description: OF_TARGET } },
  });
}

const OF_TARGET =
  'Conditions on the target. One more list call finds the targets; more than 100 are `FILTER_TOO_WIDE`.';

/** Returns a function that creates filter inputs. Each input is created once. */
export function createFilters({ dialect, types }: GenericTypes): FilterOf {
  const made = new Map<string, GraphQLInputObjectType | undefined>();
  return (
    kind,
    type = types[kind].searchedAs ?? types[kind].type,
    name = filterNameOf(types[kind]),
  ) => {
    if (made.has(name)) return made.get(name);
    const operatorsOf = (word: FilterWord): readonly SearchOperator[] =>
      word === 'eq' && types[kind].nextSearched ? ['GE', 'LT'] : [FILTERS[word].operator];
    const words = types[kind].words.filter((word) =>
      operatorsOf(word).every((operator) => hasOperator(operator, dialect.search)),
    );
    const fields = words.map((word) => {
      const value = FILTERS[word].isList ? new GraphQLList(new GraphQLNonNull(type)) : type;
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
  Record<
    FilterWord,
    {
      readonly operator: SearchOperator;
      readonly description: string;
      /** Whether it takes a list of values. */
      readonly isList?: true;
    }
  >
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
  in: {
    operator: 'IN',
    description: 'Equal to one of these. Without any, the list is empty and costs no call.',
    isList: true,
  },
  notIn: { operator: 'NE', description: 'Equal to none of these.', isList: true },
};

/**
 * Converts the arguments of a typed list to the arguments of a generic one.
 *
 * @throws {ViolationError} for arguments that the platform's search cannot express.
 */
export type ToGenericArgs = (args: Readonly<Record<string, unknown>>) => SearchArgs;

/** Creates the conversion of a form's conditions. */
function createToCriteria(
  form: TypedForm,
  { genericTypes: { types, dialect }, searchOf }: SearchParts,
): Search['toCriteria'] {
  return (conditions, path) => {
    const where: CriterionInput[] = [];
    const references: ReferenceInput[] = [];
    for (const { word, value, ...at } of listConditions(conditions, path)) {
      if (value === null) throw missing(at.path);
      if (word === 'where') references.push(toReference(at, value));
      else where.push(...toCondition(at, word as FilterWord, value));
    }
    return { where, references };
  };

  /** Lists the operators of all fields. */
  function listConditions(conditions: Json, path: readonly string[]) {
    return Object.entries(conditions as JsonObject).flatMap(([name, filter]) => {
      if (!isJsonObject(filter)) throw missing([...path, name]);
      // Every other name is the id.
      const { record, shape } = form.fields.find((field) => field.name === name) ?? {
        record: { name: dialect.search.instanceId },
        shape: { kind: 'reference', formId: form.formId } as const,
      };
      return Object.entries(filter).map(([word, value]) => {
        return { field: record.name, shape, path: [...path, name, word], word, value };
      });
    });
  }

  function toReference({ field, shape, path }: ConditionPlace, value: Json): ReferenceInput {
    const formId = shape.kind === 'reference' ? shape.formId : '';
    // The type of the filter exists for a form with a search alone.
    const { where = [] } = searchOf(formId)?.toCriteria(value, path) ?? {};
    return { field, place: path.join('.'), formId, where };
  }

  function toCondition(
    { field, shape, path }: ConditionPlace,
    word: FilterWord,
    value: Json,
  ): CriterionInput[] {
    const { writeSearched = unchanged, nextSearched } = types[shape.kind];
    const { operator } = FILTERS[word];
    const write = (one: Json): Json => {
      const written = readAt(path, () => writeSearched(one, shape));
      checkSearched(path, { operator, values: [String(written)] }, dialect.search);
      return written;
    };

    if (word === 'eq' && nextSearched) {
      const next = nextSearched(value);
      const from: CriterionInput = { field, operator: 'GE', value: write(value) };
      return next === undefined ? [from] : [from, { field, operator: 'LT', value: write(next) }];
    }
    if (!Array.isArray(value)) return [{ field, operator, value: write(value) }];
    if (operator === 'IN') return [{ field, operator, value: value.map(write) }];
    if (value.length > MAX_EXCLUDED) {
      throw invalidAt(path, 'maxItems', `must have at most ${MAX_EXCLUDED} values`, MAX_EXCLUDED);
    }
    return value.map((one) => ({ field, operator, value: write(one) }));
  }
}

/** One operator of one field. */
interface ConditionPlace {
  /** The platform's name of the field. */
  readonly field: string;
  readonly shape: Shape;
  /** The operator's place in the arguments, for messages. */
  readonly path: readonly string[];
}

const unchanged = (value: Json): Json => value;

const missing = (path: readonly string[]) =>
  invalidAt(path, 'required', 'must have a value; leave it out instead');

/** The most values of `notIn`: each is a condition of the platform's search. */
const MAX_EXCLUDED = 100;
