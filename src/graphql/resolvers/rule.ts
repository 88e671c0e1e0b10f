import type { MutationResolvers, QueryResolvers } from '../../__generated__/resolvers.ts';

export const ruleQueries: Pick<QueryResolvers, 'rule'> = {
  rule: (_root, key, { loaders }) => loaders.ruleByKey.load(key),
};

export const ruleMutations: Pick<MutationResolvers, 'executeRule'> = {
  async executeRule(_root, { input }, { write }) {
    const { component, version, parameters } = input;
    const given = parameters.map(({ name, type, value }) => ({ name, type: type ?? undefined, value: value ?? null }));
    return {
      outputs: await write('execute', input, ({ rules }, options) =>
        rules.execute({ component, version }, given, options),
      ),
    };
  },
};
