import type { QueryResolvers } from '../../__generated__/resolvers.ts';
import type { InstanceRecord } from '../../upstream/records.ts';
import { type NodeRecord, parseNodeId } from '../node-ids.ts';

export const nodeQueries: Pick<QueryResolvers, 'node'> = {
  async node(_root, { id }, { loaders }): Promise<NodeRecord | undefined> {
    const [type, formId, instanceId = ''] = parseNodeId(id);
    return type === 'Form' ? loaders.formById.load(formId) : loaders.instanceById(formId).load(instanceId);
  },
};

/** Tells the name of the type that an instance has in the graph. */
export type TypeOfInstance = (instance: InstanceRecord) => string;

/** Makes the resolvers of interfaces, which tell the types of their objects. */
export const createAbstractTypes = (typeOf: TypeOfInstance) => ({
  Node: { __resolveType: (record: NodeRecord) => ('instanceId' in record ? typeOf(record) : 'Form') },
  Instance: { __resolveType: typeOf },
});
