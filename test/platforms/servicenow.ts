import { definePlatform } from './platform.ts';

/**
 * ServiceNow: every value is a text, an empty one too, and `result` is around each response.
 * https://docs.servicenow.com/bundle/geneva-servicenow-platform/page/integrate/inbound_rest/reference/r_TableAPI-GET.html
 * https://docs.servicenow.com/bundle/geneva-servicenow-platform/page/integrate/inbound_rest/reference/r_TableAPI-POST.html
 */
export const serviceNow = definePlatform({
  name: 'ServiceNow',
  hasTotal: true,
  grantType: 'password',
  token: (token) => ({
    body: {
      access_token: token,
      refresh_token: 'r',
      scope: 'useraccount',
      token_type: 'Bearer',
      expires_in: 1799,
    },
  }),
  forms: {
    order: { name: 'order', label: 'Order', super_class: '' },
    supplier: { name: 'supplier', label: 'Supplier', super_class: '' },
  },
  definitions: {
    order: {
      body: {
        result: {
          name: 'order',
          label: 'Order',
          columns: [
            column('title', 'string', { mandatory: 'true', max_length: '80' }),
            column('amount', 'decimal', { max_length: '15' }),
            column('paid', 'boolean'),
            column('due', 'glide_date'),
            column('placedAt', 'glide_date_time'),
            column('supplier', 'reference', { max_length: '32', reference: 'supplier' }),
          ],
        },
      },
    },
    supplier: {
      body: {
        result: { name: 'supplier', label: 'Supplier', columns: [column('company', 'string')] },
      },
    },
  },
  order: (id, { title, amount, paid, due, placedAt, supplier }) => ({
    sys_id: String(id),
    sys_mod_count: '0',
    sys_created_on: '2026-03-01 09:30:00',
    title,
    amount: String(amount),
    paid: String(paid),
    due: due ?? '',
    placedAt: placedAt?.replace('T', ' ') ?? '',
    supplier: supplier
      ? {
          link: `https://example.service-now.com/api/now/table/supplier/${supplier}`,
          value: String(supplier),
        }
      : '',
  }),
  supplier: (id, { company }) => ({ sys_id: String(id), sys_mod_count: '0', company }),
  list: ({ rows, total, hasNext }) => ({
    headers: {
      'x-total-count': String(total),
      link: ['first', ...(hasNext ? ['next'] : []), 'last']
        .map((rel) => `<https://example.service-now.com/api/now/table/order>;rel="${rel}"`)
        .join(),
    },
    body: { result: rows },
  }),
  one: (row) => ({ body: { result: row } }),
  created: (row, id) => ({
    status: 201,
    headers: { location: `https://example.service-now.com/api/now/table/order/${id}` },
    body: { result: row },
  }),
  updated: (row) => ({ body: { result: row } }),
  deleted: () => ({ status: 204 }),
  absent: {
    status: 404,
    body: {
      error: {
        message: 'No Record found',
        detail: "Record doesn't exist or ACL restricts the record retrieval",
      },
      status: 'failure',
    },
  },
  refused: {
    status: 400,
    body: {
      error: { message: 'Operation Failed', detail: 'There is no such supplier.' },
      status: 'failure',
    },
  },
  refusal: { message: 'There is no such supplier.' },
  limited: {
    status: 429,
    headers: { 'retry-after': '30' },
    body: {
      error: { message: 'Rate limit exceeded', detail: 'Too many requests' },
      status: 'failure',
    },
  },
  written: {
    create: {
      title: 'Shelves',
      amount: '99.95',
      paid: 'false',
      due: '2026-05-02',
      placedAt: '2026-04-30 08:15:00',
      supplier: '7',
    },
    update: { paid: 'true', due: '2026-06-30' },
  },
});

function column(element: string, type: string, more: object = {}) {
  return {
    element,
    column_label: element,
    internal_type: type,
    mandatory: 'false',
    max_length: '40',
    reference: '',
    ...more,
  };
}
