import type {
  MutationResolvers,
  ReplaceInstancePayloadResolvers,
  ResolversParentTypes,
  UpdateInstancePayloadResolvers,
} from '../../__generated__/resolvers.ts';
import type { InstanceKey } from '../../upstream/records.ts';
import { formatNodeId, toFormId, toInstanceKey } from '../node-ids.ts';

/** What a change of an instance leaves to its payload: which one to read back, if anybody wants it. */
export interface InstancePayload {
  readonly key: InstanceKey;
}

type InstanceMutations = Pick<
  MutationResolvers,
  'createInstance' | 'deleteInstance' | 'replaceInstance' | 'updateInstance'
>;

export const instanceMutations: InstanceMutations = {
  async createInstance(_root, { input: given }, { write }) {
    const input = { ...given, formId: toFormId(given.formId) };
    const instance = await write('createFormIntance', input, ({ instances }, signal) =>
      instances.create(input.formId, input.values, signal),
    );
    return { instance };
  },

  async replaceInstance(_root, { input: given }, { write }) {
    const input = toInstanceKey(given);
    const key = keyOf(input);
    await write('updateFormIntance', input, ({ instances }, signal) => instances.replace(key, input.values, signal));
    return { key };
  },

  async updateInstance(_root, { input: given }, { write }) {
    const input = toInstanceKey(given);
    const key = keyOf(input);
    await write('updateValuesOfFormIntance', input, ({ instances }, signal) =>
      instances.update(key, input.values, signal),
    );
    return { key };
  },

  async deleteInstance(_root, { input: given }, { write }) {
    const input = toInstanceKey(given);
    const key = keyOf(input);
    await write('deleteFormIntance', input, ({ instances }, signal) => instances.delete(key, signal));
    return { deletedId: formatNodeId(['Instance', key.formId, key.instanceId]) };
  },
};

const keyOf = ({ formId, instanceId }: InstanceKey): InstanceKey => ({ formId, instanceId });

const readBack: ReplaceInstancePayloadResolvers & UpdateInstancePayloadResolvers = {
  instance: ({ key }, _args, { loaders }) => loaders.instanceById(key.formId).load(key.instanceId),
};

/** Every payload that `codegen.yml` maps to `InstancePayload`: a missing one does not compile. */
type InstancePayloads = {
  readonly [Type in keyof ResolversParentTypes as ResolversParentTypes[Type] extends InstancePayload
    ? Type
    : never]: typeof readBack;
};

/** The platform answers these changes without a body, so the instance is read back, and only when it is selected. */
export const instancePayloads: InstancePayloads = { ReplaceInstancePayload: readBack, UpdateInstancePayload: readBack };
