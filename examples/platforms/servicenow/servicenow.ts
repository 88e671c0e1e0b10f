import { defineAdapter, type Json } from 'caseway/adapter';

/** The fields of type glide_date_time. */
const TIMES = ['placedAt'];

const toText = ([name, value]: [string, Json]): [string, Json] =>
  TIMES.includes(name) && value
    ? [name, String(value).slice(0, 19).replace('T', ' ')]
    : [name, value];

export default defineAdapter({
  request({ ids, body }) {
    if (!body || !('formId' in ids)) return {};
    return { body: Object.fromEntries(Object.entries(body).map(toText)) };
  },
});
