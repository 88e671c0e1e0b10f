import { definePlatform } from './platform.ts';

/**
 * SharePoint: OData in its verbose format, with dates as calls and deferred lookups.
 * https://learn.microsoft.com/en-us/previous-versions/office/developer/sharepoint-2010/ff521587(v=office.14)
 * https://learn.microsoft.com/en-us/previous-versions/office/developer/sharepoint-rest-reference/dn600182(v=office.15)
 * https://www.odata.org/documentation/odata-version-2-0/json-format/
 */
const CHOICES = { Choices: { results: ['open', 'paid'] } };

export const sharePoint = definePlatform({
  name: 'SharePoint',
  hasTotal: true,
  hasChoice: true,
  token: (token) => ({
    // A number as text.
    body: {
      token_type: 'Bearer',
      expires_in: '86399',
      not_before: '1774863000',
      access_token: token,
    },
  }),
  forms: {
    order: { Id: '6f3b', Title: 'order', Description: '', ItemCount: 3, Hidden: false },
    supplier: { Id: '6f3a', Title: 'supplier', Description: '', ItemCount: 2, Hidden: false },
  },
  definitions: {
    order: {
      body: {
        d: {
          Id: '6f3b',
          Title: 'order',
          Description: 'What we buy',
          Fields: {
            results: [
              field('title', 'Text', { Required: true, MaxLength: 255 }),
              field('amount', 'Currency', { MinimumValue: 0, MaximumValue: 100_000 }),
              field('paid', 'Boolean'),
              field('due', 'DateTime', { DisplayFormat: 0 }),
              field('placedAt', 'DateTime', { DisplayFormat: 1 }),
              field('supplier', 'Lookup', { LookupList: '{6f3a}', AllowMultipleValues: false }),
            ],
          },
        },
      },
    },
    supplier: {
      body: {
        d: {
          Id: '6f3a',
          Title: 'supplier',
          Description: '',
          Fields: { results: [field('company', 'Text'), field('state', 'Choice', CHOICES)] },
        },
      },
    },
  },
  order: (id, { title, amount, paid, due, placedAt, supplier }) => ({
    __metadata: {
      uri: uriOf('Order', id),
      etag: 'W/"1"',
      type: 'Microsoft.SharePoint.DataService.OrderItem',
    },
    Id: id,
    title,
    amount,
    paid,
    due: due && dateOf(`${due}T00:00:00`),
    placedAt: placedAt && dateOf(placedAt),
    supplier: { __deferred: { uri: `${uriOf('Order', id)}/supplier` } },
    supplierId: supplier,
  }),
  supplier: (id, { company }) => ({ __metadata: { uri: uriOf('Supplier', id) }, Id: id, company }),
  list: ({ rows, total, hasNext }) => ({
    body: {
      d: {
        results: rows,
        __count: String(total),
        __next: hasNext ? `${uriOf('Order', 2)}/next` : undefined,
      },
    },
  }),
  one: (row) => ({ body: { d: row } }),
  created: (row, id) => ({
    status: 201,
    headers: { location: uriOf('Order', id) },
    body: { d: row },
  }),
  updated: () => ({ status: 204 }),
  deleted: () => ({ status: 204 }),
  absent: problem(404, "Resource not found for the segment 'Order'."),
  refused: problem(400, 'There is no such supplier.'),
  refusal: {
    message: 'There is no such supplier.',
    errorCode: '-1, Microsoft.SharePoint.SPException',
  },
  limited: {
    ...problem(429, 'The request has been throttled.'),
    headers: { 'retry-after': '120' },
  },
  written: {
    create: {
      title: 'Shelves',
      amount: 99.95,
      paid: false,
      due: dateOf('2026-05-02T00:00:00'),
      placedAt: dateOf('2026-04-30T08:15:00'),
      supplierId: 7,
    },
    update: { paid: true, due: dateOf('2026-06-30T00:00:00') },
  },
});

function field(name: string, type: string, more: object = {}) {
  return {
    InternalName: name,
    Title: name,
    TypeAsString: type,
    Required: false,
    Hidden: false,
    ...more,
  };
}

function dateOf(utc: string) {
  return `/Date(${Date.parse(`${utc}Z`)})/`;
}

function uriOf(list: string, id: number) {
  return `https://example.sharepoint.com/_vti_bin/ListData.svc/${list}(${id})`;
}

function problem(status: number, value: string) {
  const code = '-1, Microsoft.SharePoint.SPException';
  return { status, body: { error: { code, message: { lang: 'en-US', value } } } };
}
