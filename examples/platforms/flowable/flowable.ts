import { defineAdapter, type JsonObject } from 'caseway/adapter';

export default defineAdapter({
  request({ operation, ids, body }) {
    if (!body || operation === 'execute') return {};
    const { variables: values, ...others } = body as { variables?: JsonObject };
    const variables = Object.entries(values ?? {}).map(([name, value]) => ({ name, value }));
    if ('instanceId' in ids) return { body: variables };
    if (operation !== 'createFormIntance') return { body: { ...others, variables } };
    return { body: { processDefinitionKey: ids.formId, variables } };
  },
});
