import type {
  InstanceCapabilities,
  InstanceResolvers,
  MutationResolvers,
  QueryResolvers,
} from '../../__generated__/resolvers.ts';
import { InputError, UpstreamError } from '../../core/errors.ts';
import { decodeReference, linksOf, methodsOf } from '../../upstream/decoders.ts';
import { fieldValue } from '../../upstream/field-value.ts';
import type { InstanceContent, InstanceKey, InstanceRecord } from '../../upstream/records.ts';
import { FORMS, getForm } from '../../upstream/resources/forms.ts';
import * as instances from '../../upstream/resources/instances.ts';
import { type CallGroup, type CostNode, contentCost, recordCalls } from '../admission/cost.ts';
import type { OperationContext } from '../context.ts';
import {
  CHANGED,
  changes,
  type MeantField,
  type RootFields,
  readsList,
  readsOne,
  type TypeFields,
} from '../entity-fields.ts';
import { EXPECTED } from '../expected-values.ts';
import { nodeIdsOf } from '../relay.ts';

const { INSTANCES, getFormIntance } = instances;

export const Query = {
  instance: readsOne(INSTANCES),
  instances: readsList(INSTANCES),
} satisfies RootFields<QueryResolvers>;

/**
 * The platform responds to these changes without a body. The content is read only if a field of it
 * is selected.
 */
const toChanged = (_result: unknown, { formId, instanceId }: InstanceKey) => ({
  instance: { kind: INSTANCES.kind, formId, instanceId },
});
const deletedId = nodeIdsOf(INSTANCES);

export const Mutation = {
  createInstance: changes(instances.createFormIntance, {
    payload: (instance) => ({ instance }),
    children: CHANGED,
    verb: 'create',
  }),
  replaceInstance: changes(instances.updateFormIntance, {
    payload: toChanged,
    children: CHANGED,
    check: EXPECTED,
    verb: 'replace',
  }),
  updateInstance: changes(instances.updateValuesOfFormIntance, {
    payload: toChanged,
    children: CHANGED,
    check: EXPECTED,
    verb: 'update',
  }),
  deleteInstance: changes(instances.deleteFormIntance, {
    payload: (_result, key) => ({ deletedId: deletedId(key) }),
    check: EXPECTED,
    verb: 'delete',
  }),
} satisfies RootFields<MutationResolvers>;

type ReadContent<T, A> = (
  content: InstanceContent,
  context: OperationContext,
  args: A,
  formId: string,
) => T | Promise<T>;

/**
 * Reads the content of an instance. A changed instance may have to be loaded first.
 *
 * @throws {UpstreamError} `not-found` if the instance no longer exists.
 */
export function withContent<T, A = unknown>(
  { formId, instanceId, content }: InstanceRecord,
  context: OperationContext,
  read: ReadContent<T, A>,
  args = {} as A,
): T | Promise<T> {
  // Loaded content is read without a promise, for example in lists.
  if (content) return read(content, context, args, formId);
  return context.loaders
    .of(INSTANCES, formId)
    .byId.load(instanceId)
    .then((loaded) => {
      if (loaded?.content) return read(loaded.content, context, args, formId);
      throw new UpstreamError('not-found', { operation: getFormIntance.name, status: 404 });
    });
}

/** Creates a field that is read from the content. */
const ofContent = <T, A>(read: ReadContent<T, A>) => ({
  resolve: (instance: InstanceRecord, args: A, context: OperationContext) =>
    withContent(instance, context, read, args),
  meaning: { cost: contentCost(INSTANCES) },
});

/** Marks a field that is `null` only together with an error. */
function neverNull<R>({ resolve, meaning }: MeantField<R>): MeantField<R> {
  return { resolve, meaning: { ...meaning, isNeverNull: true } };
}

interface FieldArgs {
  readonly field: string;
}

const formCalls = ({ forms }: CostNode): CallGroup => ({ operation: getForm.name, calls: forms });

/** The fields of every instance. */
export const Instance = {
  form: {
    resolve: ({ formId }, _args, { loaders }) => loaders.of(FORMS).byId.load(formId),
    meaning: {
      cost: (place) => ({
        shared: { form: formCalls(place) },
        children: { ...place, records: place.forms, isFresh: false },
      }),
    },
  },

  values: neverNull(ofContent(({ values }) => values)),

  value: ofContent((content, { dialect }, { field }: FieldArgs) =>
    fieldValue(content, field, dialect),
  ),

  reference: {
    resolve: ofContent(loadReference).resolve,
    meaning: {
      cost: (place, args, dialect) => {
        const content = contentCost(INSTANCES)(place, args, dialect);
        return {
          own: recordCalls(INSTANCES, place, dialect),
          shared: { form: formCalls(place), ...content.shared },
          children: { ...place, isFresh: false },
        };
      },
    },
  },

  links: neverNull(ofContent(({ rawLinks }) => linksOf(rawLinks, getFormIntance.name))),

  can: ofContent(readCapabilities),
} satisfies TypeFields<Omit<InstanceResolvers, '__resolveType'>>;

async function loadReference(
  content: InstanceContent,
  { loaders, dialect }: OperationContext,
  { field }: FieldArgs,
  formId: string,
): Promise<InstanceRecord | undefined> {
  const value = fieldValue(content, field, dialect);
  if (value === null) return undefined;
  const form = await loaders.of(FORMS).byId.load(formId);
  const target = form?.fields?.find(({ name }) => name === field)?.reference;
  if (target === undefined) throw new InputError('The form has no reference field with this name.');
  const instanceId = decodeReference(value, field, dialect);
  return instanceId === undefined ? undefined : loaders.of(INSTANCES, target).byId.load(instanceId);
}

function readCapabilities({ rawLinks }: InstanceContent): InstanceCapabilities | undefined {
  const methods = methodsOf(rawLinks, getFormIntance.name);
  if (methods === undefined) return undefined;
  return {
    replace: methods.includes('PUT'),
    update: methods.includes('PATCH'),
    delete: methods.includes('DELETE'),
  };
}
