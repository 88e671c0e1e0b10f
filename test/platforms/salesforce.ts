import { CHANGE, definePlatform, NEW_ORDER } from './platform.ts';

/**
 * Salesforce: rows have `attributes` beside their fields, and errors are an array.
 * https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/dome_sobject_create.htm
 * https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/errorcodes.htm
 */
export const salesforce = definePlatform({
  name: 'Salesforce',
  hasTotal: true,
  hasChoice: true,
  token: (token) => ({
    body: {
      access_token: token,
      instance_url: 'https://example.my.salesforce.com',
      id: 'https://login.salesforce.com/id/1/2',
      token_type: 'Bearer',
      issued_at: '1774949400000',
      signature: 'c2lnbmF0dXJl',
    },
  }),
  forms: {
    order: {
      name: 'order',
      label: 'Order',
      keyPrefix: '801',
      custom: false,
      queryable: true,
      urls: {},
    },
    supplier: {
      name: 'supplier',
      label: 'Supplier',
      keyPrefix: 'a01',
      custom: true,
      queryable: true,
      urls: {},
    },
  },
  definitions: {
    order: {
      body: {
        name: 'order',
        label: 'Order',
        fields: [
          field('title', 'string', { length: 80, nillable: false }),
          field('amount', 'double', { precision: 18, scale: 2 }),
          field('paid', 'boolean', { nillable: false }),
          field('due', 'date'),
          field('placedAt', 'datetime'),
          field('supplier', 'reference', { length: 18, referenceTo: ['supplier'] }),
        ],
      },
    },
    supplier: {
      body: {
        name: 'supplier',
        label: 'Supplier',
        fields: [
          field('company', 'string', { length: 80 }),
          field('state', 'picklist', {
            picklistValues: [picklistValue('open'), picklistValue('paid')],
          }),
        ],
      },
    },
  },
  order: (id, { title, amount, paid, due, placedAt, supplier }) => ({
    attributes: { type: 'order', url: `/services/data/v63.0/sobjects/order/${id}` },
    Id: String(id),
    title,
    amount,
    paid,
    due,
    placedAt: placedAt && `${placedAt}.000+0000`,
    supplier: supplier && String(supplier),
  }),
  supplier: (id, { company }) => ({
    attributes: { type: 'supplier', url: `/services/data/v63.0/sobjects/supplier/${id}` },
    Id: String(id),
    company,
  }),
  list: ({ rows, total, hasNext }) => ({
    body: hasNext
      ? {
          totalSize: total,
          done: false,
          nextRecordsUrl: '/services/data/v63.0/query/1-2',
          records: rows,
        }
      : { totalSize: total, done: true, records: rows },
  }),
  created: (_row, id) => ({ status: 201, body: { id: String(id), success: true, errors: [] } }),
  updated: () => ({ status: 204 }),
  deleted: () => ({ status: 204 }),
  absent: {
    status: 404,
    body: [{ errorCode: 'NOT_FOUND', message: 'The requested resource does not exist' }],
  },
  refused: {
    status: 400,
    body: [
      {
        message: 'There is no such supplier.',
        errorCode: 'FIELD_INTEGRITY_EXCEPTION',
        fields: ['supplier'],
      },
    ],
  },
  refusal: {
    message: 'There is no such supplier.',
    errorCode: 'FIELD_INTEGRITY_EXCEPTION',
    fields: ['supplier'],
  },
  limited: {
    status: 403,
    body: [{ message: 'TotalRequests Limit exceeded.', errorCode: 'REQUEST_LIMIT_EXCEEDED' }],
  },
  written: {
    create: { ...NEW_ORDER, placedAt: '2026-04-30T08:15:00.000Z' },
    update: CHANGE,
  },
});

function picklistValue(value: string) {
  return { active: true, defaultValue: false, label: value, validFor: null, value };
}

function field(name: string, type: string, more: object = {}) {
  return {
    name,
    label: name,
    type,
    length: 0,
    nillable: true,
    referenceTo: [],
    picklistValues: [],
    ...more,
  };
}
