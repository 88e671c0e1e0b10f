import { CHANGE, definePlatform, NEW_ORDER, TOO_MANY } from './platform.ts';

/**
 * Odoo: an empty field is `false`, a reference a pair of id and name, and a single record a list of
 * one.
 * https://www.odoo.com/documentation/19.0/developer/reference/external_api.html
 * https://www.odoo.com/documentation/19.0/developer/reference/backend/orm.html
 */
export const odoo = definePlatform({
  name: 'Odoo',
  hasTotal: false,
  maxPageSize: 80,
  hasChoice: true,
  token: (token) => ({ body: { access_token: token, token_type: 'Bearer', expires_in: 3600 } }),
  forms: {
    order: { id: 81, model: 'order', name: 'Order', state: 'base' },
    supplier: { id: 82, model: 'supplier', name: 'Supplier', state: 'base' },
  },
  definitions: {
    order: {
      body: {
        title: field('char', 'Title', { required: true, size: 80 }),
        amount: field('monetary', 'Amount', { currency_field: 'currency_id' }),
        paid: field('boolean', 'Paid'),
        due: field('date', 'Due'),
        placedAt: field('datetime', 'Placed at'),
        supplier: field('many2one', 'Supplier', { relation: 'supplier', domain: [], context: {} }),
      },
    },
    supplier: {
      body: {
        company: field('char', 'Company'),
        state: field('selection', 'State', {
          selection: [
            ['open', 'Open'],
            ['paid', 'Paid'],
          ],
        }),
      },
    },
  },
  order: (id, { title, amount, paid, due, placedAt, supplier }) => ({
    id,
    title,
    amount,
    paid,
    due: due ?? false,
    placedAt: placedAt?.replace('T', ' ') ?? false,
    supplier: supplier !== null && [supplier, 'A name'],
  }),
  supplier: (id, { company }) => ({ id, company }),
  list: ({ rows }) => ({ body: rows }),
  one: (row) => ({ body: [row] }),
  created: (_row, id) => ({ body: [id] }),
  updated: () => ({ body: true }),
  deleted: () => ({ body: true }),
  absent: problem(
    404,
    'odoo.exceptions.MissingError',
    'Record does not exist or has been deleted.',
  ),
  refused: problem(422, 'odoo.exceptions.ValidationError', 'There is no such supplier.'),
  refusal: { message: 'There is no such supplier.', errorCode: 'odoo.exceptions.ValidationError' },
  limited: TOO_MANY,
  written: {
    create: {
      vals_list: [{ ...NEW_ORDER, placedAt: '2026-04-30 08:15:00' }],
    },
    update: { ids: [2], vals: CHANGE },
  },
});

function field(type: string, string: string, more: object = {}) {
  return { type, string, required: false, readonly: false, ...more };
}

function problem(status: number, name: string, message: string) {
  return {
    status,
    body: { name, message, arguments: [message], context: {}, debug: 'Traceback …' },
  };
}
