import { CHANGE, definePlatform } from './platform.ts';

/**
 * Dataverse: OData rows with annotations, and errors under `error`. Lookups are read by `$expand`.
 * https://learn.microsoft.com/en-us/power-apps/developer/data-platform/webapi/compose-http-requests-handle-errors
 * https://learn.microsoft.com/en-us/power-apps/developer/data-platform/webapi/query/overview
 * https://learn.microsoft.com/en-us/power-apps/developer/data-platform/api-limits
 */
export const dataverse = definePlatform({
  name: 'Dataverse',
  hasTotal: true,
  token: (token) => ({
    body: { token_type: 'Bearer', expires_in: 3599, ext_expires_in: 3599, access_token: token },
  }),
  forms: {
    order: {
      MetadataId: '70816501-edb9-4740-a16c-6a5efbc05d84',
      LogicalName: 'order',
      SchemaName: 'Order',
    },
    supplier: {
      MetadataId: '70816501-edb9-4740-a16c-6a5efbc05d85',
      LogicalName: 'supplier',
      SchemaName: 'Supplier',
    },
  },
  definitions: {
    order: {
      body: {
        '@odata.context': '$metadata#EntityDefinitions(LogicalName,SchemaName)/$entity',
        LogicalName: 'order',
        SchemaName: 'Order',
        Attributes: [
          {
            LogicalName: 'title',
            SchemaName: 'Title',
            AttributeType: 'String',
            Format: 'Text',
            MaxLength: 100,
          },
          { LogicalName: 'amount', SchemaName: 'Amount', AttributeType: 'Money', Precision: 2 },
          {
            LogicalName: 'paid',
            SchemaName: 'Paid',
            AttributeType: 'Boolean',
            DefaultValue: false,
          },
          { LogicalName: 'due', SchemaName: 'Due', AttributeType: 'DateTime', Format: 'DateOnly' },
          {
            LogicalName: 'placedAt',
            SchemaName: 'PlacedAt',
            AttributeType: 'DateTime',
            Format: 'DateAndTime',
          },
          {
            LogicalName: 'supplier',
            SchemaName: 'Supplier',
            AttributeType: 'Lookup',
            Targets: ['supplier'],
          },
        ],
      },
    },
    supplier: {
      body: {
        LogicalName: 'supplier',
        SchemaName: 'Supplier',
        Attributes: [
          {
            LogicalName: 'company',
            SchemaName: 'Company',
            AttributeType: 'String',
            Format: 'Text',
            MaxLength: 100,
          },
        ],
      },
    },
  },
  order: (id, { title, amount, paid, due, placedAt, supplier }) => ({
    '@odata.etag': `W/"100${id}"`,
    orderid: String(id),
    title,
    amount,
    'amount@OData.Community.Display.V1.FormattedValue': `$${amount}`,
    paid,
    'paid@OData.Community.Display.V1.FormattedValue': paid ? 'Yes' : 'No',
    due,
    placedAt: placedAt && `${placedAt}Z`,
    _supplier_value: supplier && String(supplier),
    supplier: supplier && { '@odata.etag': `W/"200${supplier}"`, supplierid: String(supplier) },
  }),
  supplier: (id, { company }) => ({
    '@odata.etag': `W/"200${id}"`,
    supplierid: String(id),
    company,
  }),
  list: ({ rows, total, hasNext }) => ({
    body: {
      '@odata.context': '$metadata#orders',
      '@odata.count': total,
      value: rows,
      '@odata.nextLink': hasNext
        ? 'https://example.crm.dynamics.com/api/data/v9.2/orders?next'
        : undefined,
    },
  }),
  // The response to `Prefer: return=representation`.
  created: (row) => ({ status: 201, body: row }),
  updated: () => ({ status: 204, headers: { 'odata-version': '4.0' } }),
  deleted: () => ({ status: 204, headers: { 'odata-version': '4.0' } }),
  absent: {
    status: 404,
    body: { error: { code: '0x80040217', message: "Entity 'order' With Id = 99 Does Not Exist" } },
  },
  refused: {
    status: 400,
    body: { error: { code: '0x80048d19', message: 'There is no such supplier.' } },
  },
  refusal: { message: 'There is no such supplier.', errorCode: '0x80048d19' },
  limited: {
    status: 429,
    headers: { 'retry-after': '30' },
    body: {
      error: {
        code: '0x80072322',
        message: 'Number of requests exceeded the limit of 6000 over time window of 300 seconds.',
      },
    },
  },
  written: {
    create: {
      title: 'Shelves',
      amount: 99.95,
      paid: false,
      due: '2026-05-02',
      placedAt: '2026-04-30T08:15:00.000Z',
      'supplier@odata.bind': '/suppliers(7)',
    },
    update: CHANGE,
  },
});
