import { definePlatform, TOO_MANY } from './platform.ts';

const COMPONENTS = {
  order: [
    {
      key: 'title',
      label: 'Title',
      type: 'textfield',
      validate: { required: true, maxLength: 80 },
    },
    { key: 'amount', label: 'Amount', type: 'number', decimalDigits: 2 },
    { key: 'paid', label: 'Paid', type: 'checkbox' },
    { key: 'due', dateLabel: 'Due', type: 'datetime', subtype: 'date' },
    { key: 'placedAt', dateLabel: 'Placed at', type: 'datetime', subtype: 'datetime' },
    { key: 'supplier', label: 'Supplier', type: 'select', valuesKey: 'supplier' },
  ],
  supplier: [
    { key: 'company', label: 'Company', type: 'textfield' },
    {
      key: 'state',
      label: 'State',
      type: 'radio',
      values: [
        { label: 'Open', value: 'open' },
        { label: 'Paid', value: 'paid' },
      ],
    },
  ],
};

/**
 * Camunda 7: each variable is an object of type and value, and lists state no total.
 * https://docs.camunda.org/manual/7.9/reference/rest/process-definition/post-start-process-instance
 * https://docs.camunda.org/manual/7.9/reference/rest/overview/
 */
export const camunda7 = definePlatform({
  name: 'Camunda 7',
  hasTotal: false,
  hasChoice: true,
  token: (token) => ({ body: { access_token: token, expires_in: 300, token_type: 'Bearer' } }),
  forms: {
    order: {
      id: 'order',
      key: 'order',
      name: 'Order',
      version: 1,
      suspended: false,
      tenantId: null,
    },
    supplier: {
      id: 'supplier',
      key: 'supplier',
      name: 'Supplier',
      version: 1,
      suspended: false,
      tenantId: null,
    },
  },
  definitions: {
    order: { body: formJs('order', 16) },
    supplier: { body: formJs('supplier', 16) },
  },
  order: (id, { title, amount, paid, due, placedAt, supplier }) => ({
    ...processInstance(id),
    variables: {
      title: variable('String', title),
      amount: variable('Double', amount),
      paid: variable('Boolean', paid),
      due: variable('Date', due && `${due}T00:00:00.000+0000`),
      placedAt: variable('Date', placedAt && `${placedAt}.000+0000`),
      supplier: variable('Long', supplier),
    },
  }),
  supplier: (id, { company }) => ({
    ...processInstance(id),
    variables: { company: variable('String', company) },
  }),
  list: ({ rows }) => ({ body: rows }),
  created: (row) => ({ body: row }),
  updated: () => ({ status: 204 }),
  deleted: () => ({ status: 204 }),
  startedCase: {
    body: { ...processInstance(42), variables: { title: variable('String', 'Desks') } },
  },
  absent: {
    status: 404,
    body: {
      type: 'InvalidRequestException',
      message: 'Process instance with id 99 does not exist',
      code: null,
    },
  },
  refused: {
    status: 400,
    body: { type: 'InvalidRequestException', message: 'There is no such supplier.', code: 1 },
  },
  refusal: { message: 'There is no such supplier.', errorCode: 'InvalidRequestException' },
  // Camunda has no request limit; a proxy before it may have one.
  limited: TOO_MANY,
  written: {
    create: {
      variables: {
        title: { type: 'String', value: 'Shelves' },
        amount: { type: 'Double', value: 99.95 },
        paid: { type: 'Boolean', value: false },
        due: { type: 'String', value: '2026-05-02' },
        placedAt: { type: 'String', value: '2026-04-30T08:15:00.000Z' },
        supplier: { type: 'Double', value: 7 },
      },
      withVariablesInReturn: true,
    },
    update: {
      modifications: {
        paid: { type: 'Boolean', value: true },
        due: { type: 'String', value: '2026-06-30' },
      },
    },
    startCase: {
      variables: {
        title: { type: 'String', value: 'Desks' },
        amount: { type: 'Double', value: 12.5 },
      },
      withVariablesInReturn: true,
    },
  },
});

/** Returns a form of form-js, which both versions of Camunda have. */
export function formJs(id: 'order' | 'supplier', schemaVersion: number) {
  return { id, type: 'default', schemaVersion, components: COMPONENTS[id] };
}

function processInstance(id: number) {
  const href = `http://camunda.example/engine-rest/process-instance/${id}`;
  return {
    links: [{ method: 'GET', href, rel: 'self' }],
    id: String(id),
    definitionId: 'order:1:3',
    businessKey: null,
    caseInstanceId: null,
    ended: false,
    suspended: false,
    tenantId: null,
  };
}

function variable(type: string, value: unknown) {
  return { type: value === null ? 'Null' : type, value, valueInfo: {} };
}
