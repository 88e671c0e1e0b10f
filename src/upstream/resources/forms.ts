import { decodeForm, decodeList, decodeListedForm } from '../decoders.ts';
import type { Entity, List, Read } from '../operation.ts';
import { isId, path } from '../path.ts';
import type { FormRecord, Ids } from '../records.ts';
import { formatListQuery } from '../search.ts';

/** Reads a form. `undefined` if it does not exist. */
export const getForm: Read<Pick<Ids, 'formId'>, FormRecord | undefined> = {
  name: 'getForm',
  is: 'read',
  method: 'GET',
  path: ({ formId }) => path`/forms/${formId}`,
  promises: {
    called: 'a form',
    is: 'record',
    id: 'form.id',
    members: ['form.fields'],
    askedId: ({ formId }) => formId,
  },
  decode: ({ body, headers }, dialect, { formId }) =>
    decodeForm(body, dialect, formId, headers.link),
  notFound: 'undefined',
  tags: 'definitions',
  needs: ({ formId }) => ({ of: 'forms', verb: 'look at', formId }),
};

/** Reads one page of the forms. */
export const getForms: List<unknown, FormRecord> = {
  name: 'getForms',
  is: 'read',
  method: 'GET',
  path: () => path`/forms`,
  query: formatListQuery,
  fields: ({ search, form: { id, name, description, version } }) => [
    search.formId,
    ...id,
    ...name,
    ...description,
    ...version,
  ],
  promises: {
    called: 'a list of forms',
    is: 'list',
    id: 'form.id',
    members: ['list.items', 'list.embedded'],
  },
  decode: (answer, dialect) =>
    decodeList('getForms', answer, dialect, (item) => decodeListedForm(item, dialect)),
  notFound: 'error',
  tags: 'definitions',
  needs: () => ({ of: 'forms', verb: 'look at' }),
};

export const FORMS: Entity<FormRecord> = {
  kind: 'Form',
  called: 'a form',
  path: ['formId'],
  one: getForm,
  list: getForms,
  find: { field: ({ search }) => search.formId, isId },
  isSummary: ({ isSummary }) => isSummary,
};
