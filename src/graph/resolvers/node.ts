import type { QueryResolvers } from '../../__generated__/resolvers.ts';
import type { MaybeLater } from '../../loaders/later.ts';
import { type NodeRecord, parseNodeId } from '../node-id.ts';

export const nodeQueries: Pick<QueryResolvers, 'node'> = {
  node(_root, { id }, { loaders }): MaybeLater<NodeRecord | undefined> {
    const [type, formId, instanceId = ''] = parseNodeId(id);
    return type === 'Form' ? loaders.formById.get(formId) : loaders.instanceByKey.get({ formId, instanceId });
  },
};

export const Node = {
  __resolveType: (record: NodeRecord) => ('instanceId' in record ? ('GenericInstance' as const) : ('Form' as const)),
};

export const Instance = {
  __resolveType: () => 'GenericInstance' as const,
};
