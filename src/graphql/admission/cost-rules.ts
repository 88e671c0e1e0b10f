import { type GraphQLSchema, isInterfaceType, isObjectType } from 'graphql';

import type { MutationResolvers } from '../../__generated__/resolvers.ts';
import { orUndefined } from '../../core/errors.ts';
import { toFormId } from '../relay.ts';
import type { instancePayloads } from '../resolvers.ts';
import {
  type CallGroup,
  type CostNode,
  type CostRule,
  contentCost,
  formLookUp,
  instanceLookUp,
  nodeLookUp,
  pageCalls,
  passThrough,
  perRow,
  recordCalls,
  SINGLE_NODE,
} from './cost.ts';

const changeCost =
  (operation: CallGroup['operation'], below: CostNode = SINGLE_NODE): CostRule =>
  () => ({ own: { operation, calls: 1 }, below });

/** The record that was changed, read since its change is answered without it. */
const readBack: CostRule = () => ({
  shared: { readBack: { operation: 'getFormIntance', calls: 1 } },
  below: SINGLE_NODE,
});

const formCalls = ({ forms }: CostNode): CallGroup => ({ operation: 'getForm', calls: forms });

/** The costs of the fields of every instance. */
const INSTANCE_COSTS: Readonly<Record<string, CostRule>> = {
  values: contentCost,
  value: contentCost,
  links: contentCost,
  can: contentCost,
  form: (place) => ({
    shared: { form: formCalls(place) },
    below: { ...place, records: place.forms, isFresh: false },
  }),
  reference: (place, _args, { dialect }) => ({
    own: recordCalls(place, dialect),
    shared: { form: formCalls(place), ...(place.isFresh && { content: recordCalls(place, dialect) }) },
    below: { ...place, isFresh: false },
  }),
};

const CONNECTION: Readonly<Record<string, CostRule>> = { nodes: perRow, edges: perRow };
const EDGE: Readonly<Record<string, CostRule>> = { node: passThrough };
/** Payloads whose instance is read back. */
const READ_BACK_COSTS: Readonly<Record<keyof typeof instancePayloads, Readonly<Record<string, CostRule>>>> = {
  ReplaceInstancePayload: { instance: readBack },
  UpdateInstancePayload: { instance: readBack },
};

/** The cost of each change: one that has no rule here does not compile. */
const MUTATION_COSTS = {
  // What was created may have to be read.
  createInstance: changeCost('createFormIntance', { ...SINGLE_NODE, isFresh: true }),
  replaceInstance: changeCost('updateFormIntance'),
  updateInstance: changeCost('updateValuesOfFormIntance'),
  deleteInstance: changeCost('deleteFormIntance'),
  startCase: changeCost('startCase'),
  executeActivity: changeCost('executeCurrentActivity'),
  executeRule: changeCost('execute'),
  signIn: changeCost('getToken'),
  signOut: passThrough,
} satisfies Record<keyof MutationResolvers, CostRule>;

/**
 * The cost of each field of the generic graph that costs something, or that leads to one that does. Kept in step with the
 * resolvers, by a test that compares both over random operations.
 */
const COST_RULES: Readonly<Record<string, Readonly<Record<string, CostRule>>>> = {
  Query: {
    node: (_place, { id }) => ({ lookUp: nodeLookUp(String(id)), below: SINGLE_NODE }),
    form: (_place, { formId }) => ({ lookUp: formLookUp(platformFormId(formId)), below: SINGLE_NODE }),
    forms: (place, args, costs) => {
      const { own, size } = pageCalls('getForms', place, args, costs);
      return { own, below: { objects: 1, records: size, forms: size, size } };
    },
    instance: (_place, { formId, instanceId }) => ({
      lookUp: instanceLookUp(platformFormId(formId), String(instanceId)),
      below: SINGLE_NODE,
    }),
    instances: (place, args, costs) => {
      const { own, size } = pageCalls('getFormIntances', place, args, costs);
      return { own, below: { objects: 1, records: size, forms: 1, size } };
    },
    rule: () => ({ own: { operation: 'getParameters', calls: 1 }, below: SINGLE_NODE }),
  },
  Mutation: MUTATION_COSTS,
  CreateInstancePayload: { instance: passThrough },
  ...READ_BACK_COSTS,
  Form: {
    instances: ({ objects, forms }, args, costs) => {
      const { own, size } = pageCalls('getFormIntances', { objects, records: forms, forms }, args, costs);
      return { own, below: { objects, records: forms * size, forms, size } };
    },
    instance: ({ objects, forms }, { instanceId }) => ({
      lookUp: { list: 'of these forms', kind: 'instanceId', id: String(instanceId), times: forms },
      below: { objects, records: forms, forms },
    }),
  },
  FormConnection: CONNECTION,
  FormEdge: EDGE,
  InstanceConnection: CONNECTION,
  InstanceEdge: EDGE,
  Instance: INSTANCE_COSTS,
  GenericInstance: INSTANCE_COSTS,
};

/** Puts the rules on the fields of the generic graph. */
export function addCosts(schema: GraphQLSchema): void {
  for (const [name, rules] of Object.entries(COST_RULES)) {
    const type = schema.getType(name);
    const fields = isObjectType(type) || isInterfaceType(type) ? type.getFields() : {};
    for (const [field, cost] of Object.entries(rules)) Object.assign(fields[field]?.extensions ?? {}, { cost });
  }
}

const platformFormId = (id: unknown): string => orUndefined(() => toFormId(String(id))) ?? String(id);
