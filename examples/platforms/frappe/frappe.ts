import { defineAdapter, type Json } from 'caseway/adapter';

/** The fields of type Datetime. */
const TIMES = ['placedAt'];
const OFFSET_MS = 5.5 * 3_600_000;

const toLocal = (time: string) => new Date(Date.parse(time) + OFFSET_MS).toISOString();
const toText = ([name, value]: [string, Json]): [string, Json] =>
  TIMES.includes(name) && value
    ? [name, toLocal(String(value)).slice(0, 19).replace('T', ' ')]
    : [name, value];

export default defineAdapter({
  request({ ids, body }) {
    if (!body || !('formId' in ids)) return {};
    return { body: Object.fromEntries(Object.entries(body).map(toText)) };
  },
});
