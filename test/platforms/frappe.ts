import { definePlatform } from './platform.ts';

/**
 * Frappe: booleans are 0 and 1, `data` is around each response, and lists state no total.
 * https://docs.frappe.io/framework/user/en/api/rest
 * https://docs.frappe.io/framework/user/en/guides/integration/rest_api
 */
export const frappe = definePlatform({
  name: 'Frappe',
  hasTotal: false,
  token: (token) => ({
    body: {
      access_token: token,
      expires_in: 3600,
      token_type: 'Bearer',
      scope: 'all',
      refresh_token: 'r',
    },
  }),
  forms: {
    order: { name: 'order' },
    supplier: { name: 'supplier' },
  },
  definitions: {
    order: {
      body: {
        data: {
          name: 'order',
          doctype: 'DocType',
          module: 'Buying',
          autoname: 'autoincrement',
          fields: [
            field(1, 'title', 'Data', { reqd: 1, length: 140 }),
            field(2, 'amount', 'Currency'),
            field(3, 'paid', 'Check'),
            field(4, 'due', 'Date'),
            field(5, 'placedAt', 'Datetime'),
            field(6, 'supplier', 'Link', { options: 'supplier' }),
          ],
        },
      },
    },
    supplier: {
      body: {
        data: {
          name: 'supplier',
          doctype: 'DocType',
          fields: [field(1, 'company', 'Data', { reqd: 1 })],
        },
      },
    },
  },
  order: (id, { title, amount, paid, due, placedAt, supplier }) => ({
    name: id,
    owner: 'ann@example.com',
    creation: '2026-03-01 09:30:00.123456',
    modified: '2026-03-01 09:30:00.123456',
    docstatus: 0,
    idx: 0,
    title,
    amount,
    paid: Number(paid),
    due,
    placedAt: placedAt && toLocal(placedAt),
    supplier,
    doctype: 'order',
  }),
  supplier: (id, { company }) => ({ name: id, docstatus: 0, idx: 0, company, doctype: 'supplier' }),
  list: ({ rows }) => ({ body: { data: rows } }),
  one: (row) => ({ body: { data: row } }),
  created: (row) => ({ body: { data: row } }),
  updated: (row) => ({ body: { data: row } }),
  deleted: () => ({ status: 202, body: { message: 'ok' } }),
  absent: {
    status: 404,
    body: {
      exception: 'frappe.exceptions.DoesNotExistError: Order 99 not found',
      exc_type: 'DoesNotExistError',
      exc: '["Traceback (most recent call last): …"]',
    },
  },
  refused: {
    status: 417,
    body: {
      exception: 'frappe.exceptions.LinkValidationError: Could not find Supplier: 999',
      exc_type: 'LinkValidationError',
      exc: '["Traceback (most recent call last): …"]',
      _server_messages: '["{\\"message\\": \\"Could not find Supplier: 999\\"}"]',
    },
  },
  refusal: {
    message: 'frappe.exceptions.LinkValidationError: Could not find Supplier: 999',
    errorCode: 'LinkValidationError',
  },
  limited: {
    status: 429,
    headers: { 'retry-after': '30' },
    body: { exception: 'frappe.exceptions.TooManyRequestsError', exc_type: 'TooManyRequestsError' },
  },
  written: {
    create: {
      title: 'Shelves',
      amount: 99.95,
      paid: 0,
      due: '2026-05-02',
      placedAt: '2026-04-30 13:45:00',
      supplier: 7,
    },
    update: { paid: 1, due: '2026-06-30' },
  },
});

/** Converts UTC to the time of the site, which is in India. */
function toLocal(utc: string) {
  const local = new Date(Date.parse(`${utc}Z`) + 5.5 * 3_600_000);
  return local.toISOString().replace('T', ' ').replace('Z', '000');
}

function field(idx: number, fieldname: string, fieldtype: string, more: object = {}) {
  return {
    name: `f${idx}`,
    idx,
    fieldname,
    label: fieldname,
    fieldtype,
    reqd: 0,
    length: 0,
    options: null,
    ...more,
  };
}
