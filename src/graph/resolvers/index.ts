import type { Resolvers } from '../../__generated__/resolvers.ts';
import { scalars } from '../scalars.ts';
import { caseMutations } from './case.ts';
import { Form, formQueries } from './form.ts';
import { GenericInstance, instanceQueries } from './instance.ts';
import { instanceMutations, ReplaceInstancePayload, UpdateInstancePayload } from './instance-mutations.ts';
import { Instance, Node, nodeQueries } from './node.ts';
import { ruleMutations, ruleQueries } from './rule.ts';
import { sessionMutations, sessionQueries } from './session.ts';

/** Every resolver that is not the default one. */
export const resolvers: Resolvers = {
  ...scalars,
  Query: { ...nodeQueries, ...formQueries, ...instanceQueries, ...ruleQueries, ...sessionQueries },
  Mutation: { ...instanceMutations, ...caseMutations, ...ruleMutations, ...sessionMutations },
  Node,
  Form,
  Instance,
  GenericInstance,
  ReplaceInstancePayload,
  UpdateInstancePayload,
};
