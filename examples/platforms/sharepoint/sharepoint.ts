import { defineAdapter, type Json, type JsonObject } from 'caseway/adapter';

/** The lists that lookups refer to, by their ids. */
const LISTS: Record<string, string> = { '{6f3a}': 'supplier' };
const LOOKUPS = ['supplier'];
const DATES = ['due', 'placedAt'];

const toField = (field: JsonObject): JsonObject => {
  const { TypeAsString: type = null, DisplayFormat, LookupList, Choices } = field;
  const { results = null } = (Choices ?? {}) as { results?: Json };
  return {
    ...field,
    TypeAsString: type === 'DateTime' && DisplayFormat === 0 ? 'DateOnly' : type,
    LookupList: LISTS[String(LookupList)] ?? null,
    Choices: results,
  };
};
const toRow = (row: JsonObject): JsonObject => {
  const read: Record<string, Json> = { ...row };
  for (const name of LOOKUPS) if (`${name}Id` in row) read[name] = row[`${name}Id`] ?? null;
  for (const name of DATES) {
    const ms = /^\/Date\((-?\d+)\)\/$/.exec(String(row[name]))?.[1];
    if (ms !== undefined) read[name] = new Date(Number(ms)).toISOString();
  }
  return read;
};
const toWritten = ([name, value]: [string, Json]): [string, Json] => {
  if (LOOKUPS.includes(name)) return [`${name}Id`, value];
  return DATES.includes(name) && value
    ? [name, `/Date(${Date.parse(String(value))})/`]
    : [name, value];
};

export default defineAdapter({
  request({ ids, body }) {
    if (!body || !('formId' in ids)) return {};
    return { body: Object.fromEntries(Object.entries(body).map(toWritten)) };
  },
  response({ operation, ids }, { status, body }) {
    if (!body) return {};
    const { d, error } = body as { d?: JsonObject; error?: { code: string; message: JsonObject } };
    if (error) return { body: { errorCode: error.code, message: error.message['value'] ?? '' } };
    if (!('formId' in ids) || status >= 300 || !d) return {};
    if (operation === 'getForm') {
      const { results } = d['Fields'] as { results: JsonObject[] };
      return { body: { ...d, Fields: results.map(toField) } };
    }
    const { results } = d as { results?: JsonObject[] };
    return { body: { d: results ? { ...d, results: results.map(toRow) } : toRow(d) } };
  },
});
