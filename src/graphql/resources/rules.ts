import type { MutationResolvers, QueryResolvers } from '../../__generated__/resolvers.ts';
import { execute, getParameters } from '../../upstream/resources/rules.ts';
import { SINGLE_NODE } from '../admission/cost.ts';
import { changes, type RootFields } from '../entity-fields.ts';

export const Query = {
  rule: {
    resolve: (_root, { component, version }, { loaders }) =>
      loaders.read(getParameters, { component, version }),
    meaning: {
      cost: () => ({ own: { operation: getParameters.name, calls: 1 }, children: SINGLE_NODE }),
      demand: getParameters.needs,
    },
  },
} satisfies RootFields<QueryResolvers>;

export const Mutation = {
  executeRule: changes(execute, { payload: (outputs) => ({ outputs }) }),
} satisfies RootFields<MutationResolvers>;
