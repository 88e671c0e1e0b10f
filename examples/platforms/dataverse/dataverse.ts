import { defineAdapter, type Json } from 'caseway/adapter';

/** The entity set of each lookup. */
const SETS: Record<string, string> = { supplier: 'suppliers' };

const bind = ([name, value]: [string, Json]): [string, Json] =>
  SETS[name] ? [`${name}@odata.bind`, value && `/${SETS[name]}(${value})`] : [name, value];

export default defineAdapter({
  request({ ids, body }) {
    if (!body || !('formId' in ids)) return {};
    return { body: Object.fromEntries(Object.entries(body).map(bind)) };
  },
});
