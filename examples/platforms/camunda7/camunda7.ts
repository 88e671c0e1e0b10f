import { defineAdapter, type Json, type JsonObject } from 'caseway/adapter';

const TYPES: Record<string, string> = { string: 'String', number: 'Double', boolean: 'Boolean' };

const mapVariables = (record: Json, change: (value: Json) => Json): JsonObject => {
  const { variables, ...others } = record as { variables?: JsonObject };
  if (!variables) return others;
  const changed = Object.entries(variables).map(([name, value]) => [name, change(value)]);
  return { ...others, variables: Object.fromEntries(changed) };
};
const toVariable = (value: Json) => ({ value, type: TYPES[typeof value] ?? 'Json' });
const toValue = (variable: Json) => (variable as JsonObject)['value'] ?? null;

export default defineAdapter({
  request({ operation, ids, body }) {
    if (!body || operation === 'execute') return {};
    const { variables = {} } = mapVariables(body, toVariable);
    const isUpdate = 'instanceId' in ids;
    return {
      body: isUpdate ? { modifications: variables } : { variables, withVariablesInReturn: true },
    };
  },
  response(_call, { body }) {
    if (Array.isArray(body)) return { body: body.map((row) => mapVariables(row, toValue)) };
    return body ? { body: mapVariables(body, toValue) } : {};
  },
});
