import { formJs } from './camunda7.ts';
import { CHANGE, definePlatform, NEW_ORDER } from './platform.ts';

/**
 * Camunda 8: variables are an object beside the keys of the process instance; errors are problem
 * details (RFC 9457).
 * https://docs.camunda.io/docs/next/apis-tools/orchestration-cluster-api-rest/specifications/create-process-instance
 * https://docs.camunda.io/docs/next/apis-tools/orchestration-cluster-api-rest/specifications/search-process-instances
 */
export const camunda8 = definePlatform({
  name: 'Camunda 8',
  hasTotal: true,
  hasChoice: true,
  token: (token) => ({ body: { access_token: token, expires_in: 3600, token_type: 'Bearer' } }),
  forms: {
    order: { id: 'order', version: 1, formKey: '2251799813685367', tenantId: '<default>' },
    supplier: { id: 'supplier', version: 1, formKey: '2251799813685368', tenantId: '<default>' },
  },
  definitions: {
    order: { body: formJs('order', 17) },
    supplier: { body: formJs('supplier', 17) },
  },
  order: (id, { title, amount, paid, due, placedAt, supplier }) => ({
    ...processInstance(id),
    state: 'ACTIVE',
    startDate: '2026-03-01T09:30:00.000Z',
    hasIncident: false,
    variables: {
      title,
      amount,
      paid,
      due,
      placedAt: placedAt && `${placedAt}.000Z`,
      supplier: supplier && String(supplier),
    },
  }),
  supplier: (id, { company }) => ({
    ...processInstance(id),
    state: 'ACTIVE',
    variables: { company },
  }),
  list: ({ rows, total, hasNext }) => ({
    body: {
      items: rows,
      page: {
        totalItems: total,
        startCursor: 'WzFd',
        endCursor: 'WzJd',
        hasMoreTotalItems: hasNext,
      },
    },
  }),
  // A running instance is shown without its variables.
  created: (_row, id) => ({ body: { ...processInstance(id), variables: {} } }),
  updated: () => ({ status: 204 }),
  deleted: () => ({ status: 204 }),
  startedCase: { body: { ...processInstance(42), variables: {} } },
  absent: problem(404, 'NOT_FOUND', "Process Instance with key '99' not found"),
  refused: problem(400, 'INVALID_ARGUMENT', 'There is no such supplier.'),
  refusal: { message: 'There is no such supplier.', errorCode: 'INVALID_ARGUMENT' },
  limited: problem(403, 'REQUEST_LIMIT_EXCEEDED', 'Too many requests.'),
  written: {
    create: {
      variables: { ...NEW_ORDER, placedAt: '2026-04-30T08:15:00.000Z' },
    },
    update: { variables: CHANGE },
    startCase: { processDefinitionId: 'approval', variables: { title: 'Desks', amount: 12.5 } },
  },
});

function processInstance(id: number) {
  return {
    processInstanceKey: String(id),
    processDefinitionId: 'order',
    processDefinitionKey: '2251799813685367',
    processDefinitionVersion: 1,
    tenantId: '<default>',
    tags: [],
  };
}

function problem(status: number, title: string, detail: string) {
  const headers = { 'content-type': 'application/problem+json' };
  return {
    status,
    headers,
    body: { type: 'about:blank', title, status, detail, instance: '/v2/process-instances' },
  };
}
