import type { Json, JsonObject } from '../../core/json.ts';
import { checkPlaces, decodeCreated, decodeList, decodeListed, decodeOne } from '../decoders.ts';
import type { Dialect } from '../dialect.ts';
import {
  type Change,
  type Entity,
  type List,
  type Permission,
  type Read,
  tagsOf,
} from '../operation.ts';
import { checkInt64, isInt64, path } from '../path.ts';
import type { Ids, InstanceKey, InstanceRecord } from '../records.ts';
import { formatListQuery } from '../search.ts';

type OfForm = Pick<Ids, 'formId'>;
interface Values {
  readonly values: JsonObject;
}

const listPath = ({ formId }: OfForm): string => path`/forms/${formId}/instances`;
const pathTo = ({ formId, instanceId }: InstanceKey): string =>
  path`/forms/${formId}/instances/${checkInt64('instanceId', instanceId)}`;

const PATH = ['formId', 'instanceId'] as const;
export const TAGS = tagsOf('instance', PATH);
const needs =
  (verb: Extract<Permission, { readonly of: 'forms' }>['verb']) =>
  ({ formId }: OfForm): Permission => ({ of: 'forms', verb, formId });
const body = ({ values }: Values, dialect: Dialect): Json =>
  encodeValues(values, dialect.instance.written);
const formIdOf = ({ formId }: OfForm): string => formId;
const RECORD = { id: 'instance.id', members: ['instance.values'], formId: formIdOf } as const;
const askedId = ({ instanceId }: InstanceKey): string => instanceId;
/** The interface shows no body for 202 and 204. */
const ACCEPTED = {
  is: 'change',
  hasBody: false,
  promises: { ...RECORD, called: 'a confirmation', is: 'done', askedId },
  decode: (): void => undefined,
} as const;

/** Reads an instance. `undefined` if it does not exist. The interface misspells the name (sic). */
export const getFormIntance: Read<InstanceKey, InstanceRecord | undefined> = {
  name: 'getFormIntance',
  is: 'read',
  method: 'GET',
  path: pathTo,
  promises: { ...RECORD, called: 'an instance', is: 'record', askedId },
  decode: ({ body, headers, fields }, dialect, { formId, instanceId }) => ({
    kind: 'Instance',
    formId,
    instanceId,
    content: decodeOne(body, dialect, headers.link, fields),
  }),
  notFound: 'undefined',
  tags: TAGS.ofOne,
  needs: needs('read'),
};

/** Reads one page of a form's instances. The interface misspells the name (sic). */
export const getFormIntances: List<OfForm, InstanceRecord> = {
  name: 'getFormIntances',
  is: 'read',
  method: 'GET',
  path: listPath,
  query: formatListQuery,
  fields: ({ search }) => [search.instanceId],
  hasFormFields: true,
  promises: {
    called: 'a list of instances',
    is: 'list',
    id: 'instance.id',
    members: ['list.items', 'list.embedded', 'instance.values'],
    formId: formIdOf,
  },
  decode(answer, dialect, { formId }) {
    const { fields } = answer;
    const decodeItem = (item: Json) => decodeListed(formId, item, dialect, fields);
    const page = decodeList('getFormIntances', answer, dialect, decodeItem);
    checkPlaces(page.items, fields);
    return page;
  },
  notFound: 'error',
  tags: TAGS.ofList,
  needs: needs('read'),
};

/** Creates an instance. The interface misspells the name (sic). */
export const createFormIntance: Change<OfForm & Values, InstanceRecord> = {
  name: 'createFormIntance',
  is: 'change',
  method: 'POST',
  path: listPath,
  body,
  hasBody: false,
  promises: { ...RECORD, called: 'a created instance', is: 'created' },
  decode: (answer, dialect, { formId }) => decodeCreated(formId, answer, dialect),
  invalidates: (form) => [TAGS.lists(form)],
  needs: needs('create'),
};

/**
 * Replaces the values of an instance. Resolves when the change is accepted, which may be before it
 * is visible. The changes below do the same. The interface misspells the name (sic).
 */
export const updateFormIntance: Change<InstanceKey & Values, void> = {
  name: 'updateFormIntance',
  ...ACCEPTED,
  method: 'PUT',
  path: pathTo,
  body,
  invalidates: TAGS.ofChange,
  needs: needs('replace'),
};

/** Changes single values of an instance. The interface misspells the name (sic). */
export const updateValuesOfFormIntance: Change<InstanceKey & Values, void> = {
  name: 'updateValuesOfFormIntance',
  ...ACCEPTED,
  method: 'PATCH',
  path: pathTo,
  body,
  invalidates: TAGS.ofChange,
  needs: needs('update'),
};

/** Deletes an instance. The interface misspells the name (sic). */
export const deleteFormIntance: Change<InstanceKey, void> = {
  name: 'deleteFormIntance',
  ...ACCEPTED,
  isDoneIfGone: true,
  method: 'DELETE',
  path: pathTo,
  invalidates: TAGS.ofChange,
  needs: needs('delete'),
};

export const INSTANCES: Entity<InstanceRecord> = {
  kind: 'Instance',
  called: 'an instance of this form',
  path: PATH,
  one: getFormIntance,
  list: getFormIntances,
  find: { field: ({ search }) => search.instanceId, isId: isInt64 },
};

/** Returns a body with the values under a member. For `null` returns the values alone. */
export const encodeValues = (values: JsonObject, member: string | null): JsonObject =>
  member === null ? values : Object.fromEntries([[member, values]]);
