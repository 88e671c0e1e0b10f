import { isJsonObject } from '../../upstream/json.ts';
import { parseNodeId } from '../node-id.ts';
import { askReferences } from './look-ups.ts';
import { askPages } from './pages.ts';
import { type Ask, type LookUp, ONE, type Place, ROOT } from './place.ts';
import type { Rule } from './rule.ts';

/** A change. What it gives back is there for certain; the same one asked again, by its key, is not made again. */
export const change =
  (operation: Ask['operation'], below: Place = ROOT): Rule =>
  (_place, { input }) => {
    const isRepeatable = isJsonObject(input) && input['idempotencyKey'] != null;
    return { ask: { operation, calls: 1, certain: isRepeatable ? [] : [operation] }, below };
  };

/** The record that was changed, read since its change is answered without it. */
export const readBack: Rule = ({ isCertain }) => ({
  shared: { readBack: { operation: 'getFormIntance', calls: 1, ...(isCertain && { certain: ['read back'] }) } },
  below: ONE,
});

/** A field whose value may have to be read first, where the record was just created. */
export const content: Rule = ({ isFresh }) => (isFresh ? { shared: { content: CONTENT } } : {});
const CONTENT: Ask = { operation: 'getFormIntance', calls: 1 };
/** What an object costs that stands for what is below it. */
export const same: Rule = (place) => ({ below: place });
/** The rows of a connection. */
export const rows: Rule = ({ objects, size = 1, ...rest }) => ({ below: { ...rest, objects: objects * size } });

const CONTENT_FIELDS = { values: content, value: content, links: content, can: content };

const askForm = ({ forms }: Place): Ask => ({ operation: 'getForm', calls: forms });

export const INSTANCE: Readonly<Record<string, Rule>> = {
  ...CONTENT_FIELDS,
  form: (place) => ({
    shared: { form: askForm(place) },
    below: { ...place, records: place.forms, isFresh: false, isCertain: false },
  }),
  reference: (place, _args, { dialect }) => ({
    ask: askReferences(place, dialect),
    shared: { form: askForm(place), ...(place.isFresh && { content: CONTENT }) },
    below: { ...place, isFresh: false, isCertain: false },
  }),
};

const CONNECTION: Readonly<Record<string, Rule>> = { nodes: rows, edges: rows };
const EDGE: Readonly<Record<string, Rule>> = { node: same };
const READ_BACK: Readonly<Record<string, Rule>> = { instance: readBack };

/**
 * What each field costs that costs something, or that leads to what does. Kept in step with the resolvers, by a test that
 * compares both over random operations.
 */
export const RULES: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  Query: {
    node: (_place, { id }) => ({ lookUp: lookUpNode(String(id)), below: ONE }),
    form: (_place, { formId }) => ({ lookUp: lookUpForm(String(formId)), below: ONE }),
    forms: (place, args, basis) => {
      const { ask, size } = askPages('forms', place, args, basis);
      return { ask, below: { objects: 1, records: size, forms: size, size } };
    },
    instance: (_place, { formId, instanceId }) => ({
      lookUp: lookUpInstance(String(formId), String(instanceId)),
      below: ONE,
    }),
    instances: (place, args, basis) => {
      const { ask, size } = askPages(instancesOf(args['formId']), place, args, basis);
      return { ask, below: { objects: 1, records: size, forms: 1, size } };
    },
    rule: (_place, { component, version }) => ({
      ask: { operation: 'getParameters', calls: 1, certain: [JSON.stringify(['rule', component, version])] },
      below: ONE,
    }),
  },
  Mutation: {
    // What is created is there for certain, but what it holds may have to be read.
    createInstance: change('createFormIntance', { ...ONE, isFresh: true }),
    replaceInstance: change('updateFormIntance'),
    updateInstance: change('updateValuesOfFormIntance'),
    deleteInstance: change('deleteFormIntance'),
    startCase: change('startCase'),
    executeActivity: change('executeCurrentActivity'),
    executeRule: change('execute'),
    signIn: change('getToken'),
  },
  CreateInstancePayload: { instance: same },
  ReplaceInstancePayload: READ_BACK,
  UpdateInstancePayload: READ_BACK,
  Form: {
    instances: ({ objects, forms }, args, basis) => {
      const { ask, size } = askPages('of these forms', { objects, records: forms, forms }, args, basis);
      return { ask, below: { objects, records: forms * size, forms, size } };
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

export const instancesOf = (formId: unknown): string => JSON.stringify(['instances', formId]);

export const lookUpInstance = (formId: string, id: string): LookUp => ({
  list: instancesOf(formId),
  kind: 'instanceId',
  id,
  times: 1,
});

function lookUpNode(id: string): LookUp | undefined {
  const [type, formId, instanceId = ''] = orUndefined(() => parseNodeId(id)) ?? [];
  if (formId === undefined) return undefined;
  return type === 'Form' ? lookUpForm(formId) : lookUpInstance(formId, instanceId);
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
