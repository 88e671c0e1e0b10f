import type { FormResolvers, QueryResolvers } from '../../__generated__/resolvers.ts';
import { linksOf } from '../../upstream/decoders.ts';
import type { FormRecord } from '../../upstream/records.ts';
import { FORMS, getForm } from '../../upstream/resources/forms.ts';
import { INSTANCES } from '../../upstream/resources/instances.ts';
import {
  listOf,
  ofRecord,
  oneOf,
  type RootFields,
  readsList,
  readsOne,
  type TypeFields,
} from '../entity-fields.ts';
import { FormFieldView, namesOfForm, type SchemaInfo } from '../form-field.ts';

export const Query = {
  form: readsOne(FORMS),
  forms: readsList(FORMS),
} satisfies RootFields<QueryResolvers>;

export const Form = {
  fields({ formId, fields }, _args, context, info?: SchemaInfo) {
    const names = namesOfForm(formId, context, info);
    const toViews = (records: FormRecord['fields']) =>
      records?.map(
        (field) =>
          new FormFieldView({ field, names: names?.fields.get(field.name), context, info }),
      );
    if (fields) return toViews(fields);
    const loaded = context.loaders.of(FORMS).byId.load(formId);
    return loaded.then((form) => toViews(form?.fields));
  },

  typeName: ({ formId }, _args, context, info?: SchemaInfo) =>
    namesOfForm(formId, context, info)?.typeName,

  can: ofRecord(FORMS, (form) => readCapabilities(form)),

  links: ofRecord(FORMS, ({ definition, linkHeader }) =>
    linksOf({ record: definition, header: linkHeader }, getForm.name),
  ),

  instances: listOf(INSTANCES),
  instance: oneOf(INSTANCES),
} satisfies TypeFields<FormResolvers>;

/** The interface creates an instance by a POST to the form's list of instances. */
function readCapabilities({ definition, linkHeader }: FormRecord) {
  const links = linksOf({ record: definition, header: linkHeader }, getForm.name);
  if (links.every(({ method }) => method === undefined)) return undefined;
  return { create: links.some(({ href, method }) => method === 'POST' && LIST.test(href)) };
}

const LIST = /\/instances\/?(?:\?.*)?$/;
