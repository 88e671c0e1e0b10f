import type { MutationResolvers } from '../../__generated__/resolvers.ts';

export const caseMutations: Pick<MutationResolvers, 'executeActivity' | 'startCase'> = {
  async startCase(_root, { input: { process, ...given } }, { write }) {
    return { case: await write('startCase', ({ cases }, signal) => cases.start(process, withoutNulls(given), signal)) };
  },

  async executeActivity(_root, { input: { caseId, activityId, ...given } }, { write }) {
    const change = write('executeCurrentActivity', ({ cases }, signal) =>
      cases.execute(caseId, activityId, withoutNulls(given), signal),
    );
    return { case: await change };
  },
};

const withoutNulls = <T>({ values, attributes }: { values?: T | null; attributes?: T | null }) => ({
  values: values ?? undefined,
  attributes: attributes ?? undefined,
});
