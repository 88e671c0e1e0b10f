import { createSandbox } from '../../sandbox/index.ts';
import { writeFolder } from '../support/folder.ts';
import { closeWithTest } from '../support/listen.ts';
import { type Call, ORDERS, type Platform, SUPPLIERS } from './platform.ts';

/** The embedded sandbox with the orders and suppliers of all platforms. */
export const sandbox: Platform = {
  name: 'the sandbox',
  hasTotal: true,
  refusal: {
    message: /^Invalid values: "supplier"/,
    errorCode: 'INVALID_VALUES',
    fields: ['supplier'],
  },
  async start() {
    const calls: Call[] = [];
    const state = { isLimited: false };
    const platform = createSandbox({
      file: ':memory:',
      definitions: writeFolder(DEFINITIONS),
      faultOf: () => (state.isLimited ? 429 : undefined),
      onAnswer({ operation, method, url }) {
        if (operation !== 'getToken')
          calls.push({ method, path: decodeURIComponent(url), body: '' });
      },
    });
    closeWithTest(platform.close);
    return {
      calls,
      settings: {
        UPSTREAM_URL: await platform.listen({ port: 0, host: '127.0.0.1' }),
        UPSTREAM_AUTH: 'basic',
        UPSTREAM_USERNAME: 'demo',
        UPSTREAM_PASSWORD: 'demo',
      },
      exceedLimit() {
        state.isLimited = true;
      },
    };
  },
};

const USER = {
  username: 'demo',
  password: 'demo',
  about: 'may do everything',
  permissions: { forms: { '*': ['read', 'create', 'update', 'delete'] } },
};

const rowsOf = (rows: Readonly<Record<number, object>>) =>
  Object.entries(rows).map(([id, row]) => ({ idInstance: Number(id), ...row }));

/** JSON is YAML as well. */
const DEFINITIONS = {
  'users.yaml': { users: [USER] },
  'forms/supplier.yaml': {
    idForm: 'supplier',
    name: 'Supplier',
    version: '1',
    fields: [{ name: 'company', label: 'Company', type: 'text', required: true }],
  },
  'forms/order.yaml': {
    idForm: 'order',
    name: 'Order',
    version: '1',
    fields: [
      { name: 'title', label: 'Title', type: 'text', required: true },
      { name: 'amount', label: 'Amount', type: 'decimal' },
      { name: 'paid', label: 'Paid', type: 'boolean' },
      { name: 'due', label: 'Due', type: 'date' },
      { name: 'placedAt', label: 'Placed at', type: 'datetime' },
      { name: 'supplier', label: 'Supplier', type: 'reference', reference: 'supplier' },
    ],
  },
  'data/suppliers.yaml': { idForm: 'supplier', instances: rowsOf(SUPPLIERS) },
  'data/orders.yaml': {
    idForm: 'order',
    instances: rowsOf(ORDERS).map((row) =>
      'placedAt' in row && row.placedAt ? { ...row, placedAt: `${row.placedAt}Z` } : row,
    ),
  },
};
