import type { MutationResolvers, QueryResolvers } from '../../__generated__/resolvers.ts';

export const sessionQueries: Pick<QueryResolvers, 'viewer'> = {
  viewer(_root, _args, { session, work }) {
    work.markPersonal();
    return session.viewer;
  },
};

export const sessionMutations: Pick<MutationResolvers, 'signIn' | 'signOut'> = {
  signIn: (_root, { input }, { session }) => session.signIn(input),

  async signOut(_root, _args, { session }) {
    await session.signOut();
    return { viewer: undefined };
  },
};
