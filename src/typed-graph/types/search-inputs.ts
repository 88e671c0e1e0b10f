import { type GraphQLFieldConfigArgumentMap, GraphQLInputObjectType, GraphQLList, GraphQLNonNull } from 'graphql';

import { isFieldSayable } from '../../upstream/search.ts';
import { createToGenericArgs, type ToGenericArgs } from '../search/to-generic-args.ts';
import type { TypedForm } from '../typed-form.ts';
import type { TypeBasis } from './basis.ts';
import type { EnumOf } from './enums.ts';
import type { Filters } from './filters.ts';

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
