import { defineAdapter, type Json, type JsonObject } from 'caseway/adapter';

/** Fields in which `false` is a value, and those of type datetime. */
const BOOLEANS = ['paid'];
const TIMES = ['placedAt'];

const mapValues = (record: Json, change: (name: string, value: Json) => Json): JsonObject =>
  Object.fromEntries(
    Object.entries(record as JsonObject).map(([name, value]) => [name, change(name, value)]),
  );
const toField = ([name, field]: [string, Json]) => {
  const { selection = [], ...others } = field as { selection?: [string, string][] };
  return { ...others, name, options: selection.map(([value, label]) => ({ value, label })) };
};
const toRow = (row: Json) =>
  mapValues(row, (name, value) => (value === false && !BOOLEANS.includes(name) ? null : value));
const toWritten = (values: Json) =>
  mapValues(values, (name, value) =>
    TIMES.includes(name) && value ? String(value).slice(0, 19).replace('T', ' ') : value,
  );

export default defineAdapter({
  request({ operation, ids, body }) {
    if (!body || !('formId' in ids)) return {};
    if (operation === 'createFormIntance') return { body: { vals_list: [toWritten(body)] } };
    return {
      body: { ids: 'instanceId' in ids ? [Number(ids.instanceId)] : [], vals: toWritten(body) },
    };
  },
  response({ operation }, { status, body }) {
    if (status !== 200 || !body) return {};
    const rows = body as readonly JsonObject[];
    switch (operation) {
      case 'getForm':
        return { body: { fields: Object.entries(body as JsonObject).map(toField) } };
      case 'getFormIntances':
        return { body: rows.map(toRow) };
      case 'getFormIntance':
        return rows[0] ? { body: toRow(rows[0]) } : { status: 404 };
      case 'createFormIntance':
        return { body: { id: (body as readonly number[])[0] ?? null } };
      default:
        return {};
    }
  },
});
