import { expect, it } from 'vitest';

import { startGateway } from '../support/gateway.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';
import { writeDialect } from '../support/write-dialect.ts';

const FIELDS = [
  { name: 'title', type: 'text' },
  { name: 'amount', type: 'decimal' },
  { name: 'paid', type: 'boolean' },
  { name: 'due', type: 'date' },
  { name: 'placedAt', type: 'datetime' },
  { name: 'supplier', type: 'reference', reference: 'order' },
];

const TIME = '2026-01-31T12:00:00Z';
const VALUES = {
  title: 'Desks',
  amount: 12.5,
  paid: true,
  due: '2026-01-31',
  placedAt: TIME,
  supplier: 1,
};

/** A platform whose rows no dialect can describe completely. Each field has a value. */
interface Shape {
  readonly name: string;
  readonly dialect: object;
  readonly row: unknown;
  /** The body of a list with this row. Default: an array. */
  list?(row: unknown): unknown;
  /** The body of the row on its own. Default: the row. */
  one?(row: unknown): unknown;
}

const SHAPES: readonly Shape[] = [
  {
    name: 'Camunda 7: objects of type and value',
    dialect: { instance: { values: ['variables'] } },
    row: {
      id: '1',
      variables: {
        title: { type: 'String', value: 'Desks', valueInfo: {} },
        amount: { type: 'Double', value: 12.5, valueInfo: {} },
        paid: { type: 'Boolean', value: true, valueInfo: {} },
        due: { type: 'Date', value: '2026-01-31T00:00:00.000+0100', valueInfo: {} },
        placedAt: { type: 'Date', value: '2026-01-31T12:00:00.000+0100', valueInfo: {} },
        supplier: { type: 'Long', value: 1, valueInfo: {} },
      },
    },
  },
  {
    name: 'Jotform: values keyed by the ids of questions',
    dialect: { instance: { values: ['answers'] } },
    row: {
      id: '1',
      form_id: '2',
      status: 'ACTIVE',
      answers: {
        3: { name: 'title', order: '1', type: 'control_textbox', answer: 'Desks' },
        4: { name: 'amount', order: '2', type: 'control_number', answer: '12.50' },
        5: {
          name: 'due',
          type: 'control_datetime',
          answer: { day: '31', month: '01', year: '2026' },
        },
      },
    },
    list: (row) => ({ responseCode: 200, message: 'success', content: [row] }),
    one: (row) => ({ responseCode: 200, message: 'success', content: row }),
  },
  {
    name: 'Typeform: values under the name of their type',
    dialect: { instance: { id: ['response_id'], values: ['answers'] } },
    row: {
      response_id: '1',
      landed_at: '2026-01-31T12:00:00Z',
      answers: [
        { field: { ref: 'title', type: 'short_text' }, type: 'text', text: 'Desks' },
        { field: { ref: 'amount', type: 'number' }, type: 'number', number: 12.5 },
        { field: { ref: 'paid', type: 'yes_no' }, type: 'boolean', boolean: true },
      ],
    },
    list: (row) => ({ total_items: 1, page_count: 1, items: [row] }),
  },
  {
    name: 'Bizagi: values with paths for names',
    dialect: { list: { items: ['value'] }, instance: { values: ['parameters'] } },
    row: {
      id: 1,
      parameters: [
        { xpath: 'Order.title', value: 'Desks' },
        { xpath: 'Order.amount', value: 12.5 },
      ],
    },
    list: (row) => ({ '@odata.count': 1, value: [row] }),
  },
  {
    name: 'Odoo: false for what is empty',
    dialect: { list: { total: ['length'] } },
    row: {
      id: 1,
      title: 'Desks',
      amount: 12.5,
      paid: false,
      due: false,
      placedAt: false,
      supplier: false,
    },
    list: (row) => ({ length: 1, records: [row] }),
  },
  {
    name: 'Kissflow: values with words beside them',
    dialect: { list: { items: ['Data'] }, instance: { id: ['_id'] } },
    row: {
      _id: '1',
      title: 'Desks',
      amount: '12.50 USD',
      paid: 'Yes',
      due: '2026-01-31',
      placedAt: '2026-01-31T12:00:00Z Asia/Kolkata',
      supplier: { _id: '1', Name: 'Acme', Kind: 'User' },
    },
    list: (row) => ({ Data: [row] }),
  },
  {
    name: 'SharePoint: dates as calls, several values under results',
    dialect: { list: { embedded: ['d'] }, instance: { id: ['Id'] } },
    row: {
      Id: 1,
      title: { results: ['Desks'] },
      amount: 12.5,
      paid: true,
      due: '/Date(1769817600000)/',
      placedAt: '/Date(1769860800000)/',
      supplier: { __deferred: { uri: 'https://example.sharepoint.com/_api/Items(1)/supplier' } },
    },
    list: (row) => ({ d: { results: [row], __next: null } }),
    one: (row) => ({ d: row }),
  },
  {
    name: 'Dataverse: the id of a reference under a name of its own',
    dialect: { list: { items: ['value'] } },
    row: { id: 1, ...VALUES, supplier: undefined, _supplier_value: 1 },
    list: (row) => ({ value: [row] }),
  },
  {
    name: 'SharePoint: the id of a reference with a suffix',
    dialect: { instance: { id: ['Id'] } },
    row: { Id: 1, fields: { ...VALUES, supplier: undefined, supplierId: 1 } },
    list: (row) => ({ value: [row] }),
  },
  {
    name: 'JSON:API: a reference in a group beside the values',
    dialect: { instance: { values: ['attributes'] } },
    row: {
      id: '1',
      attributes: { ...VALUES, supplier: undefined },
      relationships: { supplier: { data: { type: 'suppliers', id: '1' } } },
    },
    list: (row) => ({ data: [row] }),
    one: (row) => ({ data: row }),
  },
  {
    name: 'a field beside the values',
    dialect: {},
    row: { id: 1, amount: 12.5, values: { ...VALUES, amount: undefined } },
  },
  {
    name: 'all fields beside empty values',
    dialect: {},
    row: { id: 1, ...VALUES, values: {} },
  },
  {
    name: 'names in another case, or with other separators',
    dialect: {},
    row: {
      id: 1,
      values: {
        Title: 'Desks',
        AMOUNT: 12.5,
        paid: true,
        due: '2026-01-31',
        placed_at: TIME,
        supplier: 1,
      },
    },
  },
];

/** Starts a gateway before a platform whose form `order` has these bodies of a list and a row. */
async function start(list: unknown, row: unknown, dialect: object) {
  const { env } = await scriptPlatform(({ url }) => {
    const { pathname } = new URL(url, 'http://platform');
    if (pathname === '/v1.0/forms') return { body: [{ idForm: 'order' }] };
    if (pathname === '/v1.0/forms/order') return { body: { idForm: 'order', fields: FIELDS } };
    return { body: pathname.endsWith('/instances') ? list : row };
  });
  return startGateway({ ...env, UPSTREAM_DIALECT: writeDialect(dialect), TYPED_FORMS: '*' });
}

it.each(SHAPES)(
  '$name: an error for each value that is not read, in a list and alone',
  async ({ dialect, row, list, one }) => {
    const { execute } = await start(list ? list(row) : [row], one ? one(row) : row, dialect);
    const values = 'title amount paid due placedAt supplier { instanceId }';

    const { data, errors = [] } = await execute(
      `{ orders(first: 1) { nodes { ${values} } } order(instanceId: 1) { ${values} } }`,
    );

    const failed = errors.map(({ path = [] }) => path.join('.'));
    expect(failed).not.toEqual([]);
    expect(failed.toSorted()).toEqual(nullsOf(data).toSorted());
    for (const { message, extensions } of errors) {
      expect(extensions['code']).toBe('UPSTREAM_INVALID_RESPONSE');
      // Contains the operation or the field, and the member of the dialect to set.
      expect(message).toMatch(/getFormIntances?|field "\w+"/);
      expect(message).toMatch(/instance\.|form\./);
      expect(message).not.toMatch(/Desks|12\.5|Acme/);
    }
  },
);

/** Returns the paths of all values that are null. */
function nullsOf(value: unknown, path = ''): string[] {
  if (value === null) return [path];
  if (typeof value !== 'object') return [];
  return Object.entries(value ?? {}).flatMap(([name, member]) =>
    nullsOf(member, path === '' ? name : `${path}.${name}`),
  );
}

it.each([
  ['a field is null', { id: 1, values: { title: 'A', supplier: null }, supplierId: 1 }],
  [
    'a like member is empty',
    { id: 1, title: 'A', _supplier_value: null, supplierId: '', Supplier: [] },
  ],
  [
    'a group has an empty reference',
    { id: 1, title: 'A', relationships: { supplier: { data: null } } },
  ],
  [
    'another object has a like member',
    { id: 1, title: 'A', createdBy: { id: 7, supplier: 'Acme' } },
  ],
  ['it holds the id or the form of the row', { id: 1, idForm: 'order', title: 'A', links: [] }],
])('an empty field is null where %s', async (_case, row) => {
  const { dataOf } = await start([], row, {});

  const data = await dataOf(
    '{ order(instanceId: 1) { title supplier { instanceId } value(field: "supplier") } }',
  );

  expect(data).toEqual({ order: { title: 'A', supplier: null, value: null } });
});
