import { CHANGE, definePlatform, NEW_ORDER } from './platform.ts';

/**
 * Strapi 4: the fields are under `attributes`, `data` is around each response and each request.
 * https://docs.strapi.io/cms/migration/v4-to-v5/breaking-changes/new-response-format
 * https://docs.strapi.io/cms/error-handling
 */
export const strapi = definePlatform({
  name: 'Strapi',
  hasTotal: true,
  hasChoice: true,
  token: (token) => ({
    body: { jwt: token, user: { id: 1, username: 'purchasing', confirmed: true } },
  }),
  forms: {
    order: { uid: 'api::order.order', singularName: 'order', displayName: 'Order' },
    supplier: { uid: 'api::supplier.supplier', singularName: 'supplier', displayName: 'Supplier' },
  },
  definitions: {
    order: {
      body: {
        data: {
          uid: 'api::order.order',
          singularName: 'order',
          displayName: 'Order',
          attributes: [
            { name: 'title', type: 'string', required: true, maxLength: 80 },
            { name: 'amount', type: 'decimal' },
            { name: 'paid', type: 'boolean', default: false },
            { name: 'due', type: 'date' },
            { name: 'placedAt', type: 'datetime' },
            { name: 'supplier', type: 'relation', relation: 'manyToOne', target: 'supplier' },
          ],
        },
      },
    },
    supplier: {
      body: {
        data: {
          uid: 'api::supplier.supplier',
          singularName: 'supplier',
          displayName: 'Supplier',
          attributes: [
            { name: 'company', type: 'string', required: true },
            { name: 'state', type: 'enumeration', enum: ['open', 'paid'] },
          ],
        },
      },
    },
  },
  order: (id, { title, amount, paid, due, placedAt, supplier }) => ({
    id,
    attributes: {
      title,
      amount,
      paid,
      due,
      placedAt: placedAt && `${placedAt}.000Z`,
      createdAt: '2026-03-01T09:30:00.000Z',
      supplier: { data: supplier && { id: supplier, attributes: { company: '…' } } },
    },
  }),
  supplier: (id, { company }) => ({
    id,
    attributes: { company, createdAt: '2026-01-01T00:00:00.000Z' },
  }),
  list: ({ rows, total, start, size }) => ({
    body: {
      data: rows,
      meta: {
        pagination: {
          page: start / size + 1,
          pageSize: size,
          pageCount: Math.ceil(total / size),
          total,
        },
      },
    },
  }),
  one: (row) => ({ body: { data: row, meta: {} } }),
  created: (row) => ({ body: { data: row, meta: {} } }),
  updated: (row) => ({ body: { data: row, meta: {} } }),
  deleted: (id) => ({ body: { data: { id, attributes: {} }, meta: {} } }),
  absent: {
    status: 404,
    body: {
      data: null,
      error: { status: 404, name: 'NotFoundError', message: 'Not Found', details: {} },
    },
  },
  refused: {
    status: 400,
    body: {
      data: null,
      error: {
        status: 400,
        name: 'ValidationError',
        message: 'There is no such supplier.',
        details: {
          errors: [{ path: ['supplier'], message: 'is unknown', name: 'ValidationError' }],
        },
      },
    },
  },
  refusal: {
    message: 'There is no such supplier.',
    errorCode: 'ValidationError',
    fields: ['supplier'],
  },
  limited: {
    status: 429,
    body: {
      data: null,
      error: { status: 429, name: 'RateLimitError', message: 'Too many requests.', details: {} },
    },
  },
  written: {
    create: {
      data: { ...NEW_ORDER, placedAt: '2026-04-30T08:15:00.000Z' },
    },
    update: { data: CHANGE },
  },
});
