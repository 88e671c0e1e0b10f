import type { QueryResolvers } from '../../__generated__/resolvers.ts';
import { type NodeRecord, parseNodeId } from '../node-id.ts';

export const nodeQueries: Pick<QueryResolvers, 'node'> = {
  async node(_root, { id }, { loaders }): Promise<NodeRecord | undefined> {
    const [type, formId, instanceId = ''] = parseNodeId(id);
    return type === 'Form' ? loaders.formById.load(formId) : loaders.instanceByKey.load({ formId, instanceId });
  },
};

export const Node = {
  __resolveType: (record: NodeRecord) => ('instanceId' in record ? ('GenericInstance' as const) : ('Form' as const)),
};

export const Instance = {
  __resolveType: () => 'GenericInstance' as const,
};
