import type { FormResolvers, QueryResolvers } from '../../__generated__/resolvers.ts';
import { linksOf } from '../../upstream/decoders.ts';
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

export const Query = {
  form: readsOne(FORMS),
  forms: readsList(FORMS),
} satisfies RootFields<QueryResolvers>;

export const Form = {
  fields: ({ formId, fields }, _args, { loaders }) =>
    fields ??
    loaders
      .of(FORMS)
      .byId.load(formId)
      .then((form) => form?.fields),

  links: ofRecord(FORMS, ({ definition, linkHeader }) =>
    linksOf({ record: definition, header: linkHeader }, getForm.name),
  ),

  instances: listOf(INSTANCES),
  instance: oneOf(INSTANCES),
} satisfies TypeFields<FormResolvers>;
