import type { MutationResolvers } from '../../__generated__/resolvers.ts';
import { executeCurrentActivity, startCase } from '../../upstream/resources/cases.ts';
import { changes, type RootFields } from '../entity-fields.ts';

export const Mutation = {
  startCase: changes(startCase, { payload: (started) => ({ case: started }) }),
  executeActivity: changes(executeCurrentActivity, { payload: (moved) => ({ case: moved }) }),
} satisfies RootFields<MutationResolvers>;
