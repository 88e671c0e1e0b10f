import type { MutationResolvers } from '../../__generated__/resolvers.ts';

export const caseMutations: Pick<MutationResolvers, 'executeActivity' | 'startCase'> = {
  async startCase(_root, { input }, { write }) {
    const change = write('startCase', input, ({ cases }, options) =>
      cases.start(input.process, withoutNulls(input), options),
    );
    return { case: await change };
  },

  async executeActivity(_root, { input }, { write }) {
    const { caseId, activityId } = input;
    const change = write('executeCurrentActivity', input, ({ cases }, options) =>
      cases.execute(caseId, activityId, withoutNulls(input), options),
    );
    return { case: await change };
  },
};

const withoutNulls = <T>({ values, attributes }: { values?: T | null; attributes?: T | null }) => ({
  values: values ?? undefined,
  attributes: attributes ?? undefined,
});
