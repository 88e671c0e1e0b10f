import { type GraphQLFieldConfig, GraphQLID, GraphQLNonNull } from 'graphql';

import type { OperationContext } from '../graphql/context.ts';
import { withCost } from '../graphql/cost/rule.ts';
import { costOfOne } from './costs.ts';
import type { FormTypes } from './types/instance-type.ts';
import { createList } from './types/list-field.ts';

type RootField = GraphQLFieldConfig<unknown, OperationContext>;

/** Makes the fields of `Query` for a form: one instance by its id, and a list. */
export function createQueries(types: FormTypes): readonly (readonly [name: string, field: RootField])[] {
  const { formId, names, title } = types.form;
  const one: RootField = {
    type: types.instance,
    description: `One instance of ${title}, or \`null\` when there is none.\n\nSource: \`getFormIntance\` (sic) of \`${formId}\`. Several of one operation cost one list call together where the platform can search by a list of ids.`,
    args: {
      instanceId: {
        type: new GraphQLNonNull(GraphQLID),
        description: 'The platform’s `idInstance`: a decimal integer.',
      },
    },
    resolve: (_root, { instanceId }, { loaders }) => loaders.instanceById(formId).load(instanceId),
    ...withCost(costOfOne(formId)),
  };
  const description = `The instances of ${title}; \`null\` only with an error beside it.\n\nSource: \`getFormIntances\` (sic) of \`${formId}\`. One upstream call, two or more only where no single page of the platform holds the one asked for.`;
  return [
    [names.one, one],
    [names.many, createList(types, { description }) as RootField],
  ];
}
