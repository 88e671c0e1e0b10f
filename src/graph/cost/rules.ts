import { pagesThatHold } from '../../loaders/window.ts';
import type { Dialect } from '../../upstream/dialect.ts';
import { type ConnectionArgs, type PageLimits, toListKey } from '../connection.ts';
import { parseNodeId } from '../node-id.ts';
import { countReferences } from './look-ups.ts';
import { type FieldCost, type LookUp, ONE, type Place } from './place.ts';

/** What costs are computed from, besides the operation. */
export interface CostBasis {
  readonly pages: PageLimits;
  readonly dialect: Dialect;
}

type Args = Readonly<Record<string, unknown>>;
type Rule = (place: Place, args: Args, basis: CostBasis) => FieldCost;

const one = (): FieldCost => ({ calls: 1, below: ONE });
const same = (place: Place): FieldCost => ({ below: place });
const rows = ({ objects, size = 1, ...rest }: Place): FieldCost => ({ below: { ...rest, objects: objects * size } });
/** A field whose value may have to be read first, where the record was just created. */
const content = ({ isFresh }: Place): FieldCost => (isFresh ? { shared: { content: 1 } } : {});

const CONTENT_FIELDS = { values: content, value: content, links: content, can: content };

const INSTANCE: Readonly<Record<string, Rule>> = {
  ...CONTENT_FIELDS,
  form: (place) => ({ shared: { form: place.forms }, below: { ...place, records: place.forms, isFresh: false } }),
  reference: (place, _args, { dialect }) => ({
    calls: countReferences(place, dialect),
    shared: { form: place.forms, ...(place.isFresh && { content: 1 }) },
    below: { ...place, isFresh: false },
  }),
};

const CONNECTION: Readonly<Record<string, Rule>> = { nodes: rows, edges: rows };
const EDGE: Readonly<Record<string, Rule>> = { node: same };
const READ_BACK: Readonly<Record<string, Rule>> = { instance: one };

/**
 * What each field costs that costs something, or that leads to what does. Kept in step with the resolvers, by a test that
 * compares both over random operations.
 */
export const RULES: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  Query: {
    node: (_place, { id }) => ({ lookUp: lookUpNode(String(id)), below: ONE }),
    form: (_place, { formId }) => ({ lookUp: lookUpForm(String(formId)), below: ONE }),
    forms: (_place, args, basis) => {
      const { calls, size } = countPages(args, basis);
      return { calls, below: { objects: 1, records: size, forms: size, size } };
    },
    instance: (_place, { formId, instanceId }) => ({
      lookUp: lookUpInstance(String(formId), String(instanceId)),
      below: ONE,
    }),
    instances: (_place, args, basis) => {
      const { calls, size } = countPages(args, basis);
      return { calls, below: { objects: 1, records: size, forms: 1, size } };
    },
    rule: one,
  },
  Mutation: {
    createInstance: () => ({ calls: 1, below: { ...ONE, isFresh: true } }),
    replaceInstance: one,
    updateInstance: one,
    deleteInstance: one,
    startCase: one,
    executeActivity: one,
    executeRule: one,
    signIn: one,
  },
  CreateInstancePayload: { instance: same },
  ReplaceInstancePayload: READ_BACK,
  UpdateInstancePayload: READ_BACK,
  Form: {
    instances: ({ objects, forms }, args, basis) => {
      const { calls, size } = countPages(args, basis);
      return { calls: forms * calls, below: { objects, records: forms * size, forms, size } };
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
  Instance: INSTANCE,
  GenericInstance: INSTANCE,
};

const lookUpForm = (id: string): LookUp => ({ list: 'forms', kind: 'formId', id, times: 1 });

const lookUpInstance = (formId: string, id: string): LookUp => ({
  list: JSON.stringify(['instances', formId]),
  kind: 'instanceId',
  id,
  times: 1,
});

function lookUpNode(id: string): LookUp | undefined {
  const [type, formId, instanceId = ''] = orUndefined(() => parseNodeId(id)) ?? [];
  if (formId === undefined) return undefined;
  return type === 'Form' ? lookUpForm(formId) : lookUpInstance(formId, instanceId);
}

/** Counts the calls of one page of a connection, and its rows. What cannot be asked costs nothing. */
function countPages(args: ConnectionArgs, { pages, dialect }: CostBasis): { calls: number; size: number } {
  const key = orUndefined(() => toListKey(args, pages));
  if (key === undefined) return { calls: 0, size: 0 };
  return { calls: pagesThatHold(key, dialect.list.maxPageSize).numbers.length, size: key.count };
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
