import type { Resolvers } from '../../__generated__/resolvers.ts';
import { scalars } from '../scalars.ts';
import { caseMutations } from './case.ts';
import { Form, formQueries } from './form.ts';
import { GenericInstance, instanceQueries } from './instance.ts';
import { instanceMutations, ReplaceInstancePayload, UpdateInstancePayload } from './instance-mutations.ts';
import { nodeQueries } from './node.ts';
import { ruleMutations, ruleQueries } from './rule.ts';
import { sessionMutations, sessionQueries } from './session.ts';

/** Every resolver that is not the default one, but for those of interfaces. */
export const resolvers: Resolvers = {
  ...scalars,
  Query: { ...nodeQueries, ...formQueries, ...instanceQueries, ...ruleQueries, ...sessionQueries },
  Mutation: { ...instanceMutations, ...caseMutations, ...ruleMutations, ...sessionMutations },
  Form,
  GenericInstance,
  ReplaceInstancePayload,
  UpdateInstancePayload,
};
