import type { Instance } from '../platform.ts';
import type { Context } from './context.ts';

/** The resolvers that all GraphQL peers run. */
export const resolvers = {
  Query: {
    form: (_root: unknown, { formId }: { formId: string }, { forms }: Context) => forms.load(formId),
    instances: async (_root: unknown, { formId, page }: { formId: string; page: number }, { platform }: Context) => ({
      nodes: await platform.instances(formId, page),
    }),
  },
  Instance: {
    form: ({ formId }: Instance, _args: unknown, { forms }: Context) => forms.load(formId),
    owner: ({ owner }: Instance, _args: unknown, { owners }: Context) => owners.load(owner),
  },
};
