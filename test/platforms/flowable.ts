import { definePlatform, TOO_MANY } from './platform.ts';

/**
 * Flowable: values are a list of variables, each with a name, a type and a value.
 * https://www.flowable.com/open-source/docs/bpmn/ch14-REST
 * https://flowable.com/open-source/docs/form/ch07-REST
 */
export const flowable = definePlatform({
  name: 'Flowable',
  hasTotal: true,
  token: (token) => ({ body: { access_token: token, token_type: 'Bearer', expires_in: 3600 } }),
  forms: {
    order: { id: 'f1', key: 'order', name: 'Order', version: 1, tenantId: '' },
    supplier: { id: 'f2', key: 'supplier', name: 'Supplier', version: 1, tenantId: '' },
  },
  definitions: {
    order: {
      body: {
        id: 'f1',
        key: 'order',
        name: 'Order',
        version: 1,
        fields: [
          field('title', 'text', { required: true }),
          field('amount', 'decimal'),
          field('paid', 'boolean'),
          field('due', 'date'),
          field('placedAt', 'datetime'),
          // Open source Flowable has no such field; a custom form component may have one.
          field('supplier', 'reference', { reference: 'supplier' }),
        ],
      },
    },
    supplier: {
      body: {
        id: 'f2',
        key: 'supplier',
        name: 'Supplier',
        version: 1,
        fields: [field('company', 'text')],
      },
    },
  },
  order: (id, { title, amount, paid, due, placedAt, supplier }) => ({
    ...processInstance(id),
    variables: [
      variable('title', 'string', title),
      variable('amount', 'double', amount),
      variable('paid', 'boolean', paid),
      variable('due', 'date', due && `${due}T00:00:00.000+0000`),
      variable('placedAt', 'date', placedAt && `${placedAt}.000+0000`),
      variable('supplier', 'long', supplier),
    ],
  }),
  supplier: (id, { company }) => ({
    ...processInstance(id),
    variables: [variable('company', 'string', company)],
  }),
  list: ({ rows, total, start }) => ({
    body: { data: rows, total, start, sort: 'id', order: 'asc', size: rows.length },
  }),
  created: (row) => ({ status: 201, body: row }),
  // The variables after the change.
  updated: (row) => ({ status: 201, body: (row as { readonly variables: unknown }).variables }),
  deleted: () => ({ status: 204 }),
  startedCase: { status: 201, body: { ...processInstance(42), variables: [] } },
  absent: {
    status: 404,
    body: { message: 'Not found', exception: "Could not find a process instance with id '99'." },
  },
  refused: {
    status: 400,
    body: { message: 'Bad request', exception: 'There is no such supplier.' },
  },
  refusal: { message: 'There is no such supplier.' },
  // Flowable has no request limit; a proxy before it may have one.
  limited: TOO_MANY,
  written: {
    create: {
      processDefinitionKey: 'order',
      variables: [
        { name: 'title', value: 'Shelves' },
        { name: 'amount', value: 99.95 },
        { name: 'paid', value: false },
        { name: 'due', value: '2026-05-02' },
        { name: 'placedAt', value: '2026-04-30T08:15:00.000Z' },
        { name: 'supplier', value: 7 },
      ],
    },
    update: [
      { name: 'paid', value: true },
      { name: 'due', value: '2026-06-30' },
    ],
    startCase: {
      processDefinitionKey: 'approval',
      variables: [
        { name: 'title', value: 'Desks' },
        { name: 'amount', value: 12.5 },
      ],
    },
  },
});

function field(id: string, type: string, more: object = {}) {
  return {
    fieldType: 'FormField',
    id,
    name: `The ${id}`,
    type,
    value: null,
    required: false,
    readOnly: false,
    ...more,
  };
}

function processInstance(id: number) {
  return {
    id: String(id),
    url: `http://flowable.example/runtime/process-instances/${id}`,
    businessKey: null,
    suspended: false,
    ended: false,
    processDefinitionId: 'order:1:4',
    tenantId: '',
  };
}

const variable = (name: string, type: string, value: unknown) => ({
  name,
  type,
  value,
  scope: 'local',
});
