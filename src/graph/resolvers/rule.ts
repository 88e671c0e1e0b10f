import type { MutationResolvers, QueryResolvers } from '../../__generated__/resolvers.ts';

export const ruleQueries: Pick<QueryResolvers, 'rule'> = {
  rule: (_root, key, { loaders }) => loaders.ruleByKey.load(key),
};

export const ruleMutations: Pick<MutationResolvers, 'executeRule'> = {
  async executeRule(_root, { input: { parameters, ...key } }, { write }) {
    const given = parameters.map(({ name, type, value }) => ({ name, type: type ?? undefined, value: value ?? null }));
    return { outputs: await write('execute', ({ rules }, signal) => rules.execute(key, given, signal)) };
  },
};
