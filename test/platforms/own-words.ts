import { CHANGE, NEW_ORDER, OPERATORS, type PlatformData, startPlatform } from './platform.ts';

const HREF = '/rest/api/v1.0/forms/order/instances';
const STATES = [
  { key: 'open', text: 'Open' },
  { key: 'paid', text: 'Paid' },
];

/**
 * Not a product: its words, shapes and addresses differ from the sandbox's wherever the interface
 * leaves them open. Lists are HAL, values are read as a sequence, a single instance has its links
 * in a header, a creation has no body, pages are counted from 0, times are Unix times, a search has
 * at most two ids, and each conditional request gets a 304.
 */
const data = {
  name: 'a platform with words of its own',
  hasTotal: true,
  variant: 'A',
  basePath: '/rest/api',
  tokenPath: '/auth/oauth',
  firstPage: 0,
  maxPageSize: 50,
  operators: {
    equals: OPERATORS.eq,
    differs: OPERATORS.ne,
    above: OPERATORS.gt,
    atLeast: OPERATORS.ge,
    below: OPERATORS.lt,
    atMost: OPERATORS.le,
    contains: (value, expected) => String(value).includes(expected),
    oneOf(value, expected) {
      const ids = expected.split(';');
      if (ids.length > 2) throw new Error('There are too many ids.');
      return ids.includes(String(value));
    },
  },
  searchedIds: { form: 'id', instance: 'id' },
  dialect: {
    list: { items: ['rows'], maxPageSize: 50, firstPage: 0 },
    form: {
      version: ['revision'],
      fieldReference: ['refersTo'],
      optionValue: ['key'],
      optionLabel: ['text'],
      datetime: 'epoch-s',
      writtenDatetime: 'epoch-s',
      writtenReference: 'text',
    },
    instance: { written: 'fields' },
    rule: { parameters: ['takes'], outputs: ['gives'] },
    unchanged: { isAsked: false },
    error: { fields: ['problems'], fieldName: ['at'], fieldMessage: ['says'] },
    token: { url: '/auth/oauth', username: 'user', password: 'secret' },
    search: {
      operators: {
        EQ: 'equals',
        NE: 'differs',
        GT: 'above',
        GE: 'atLeast',
        LT: 'below',
        LE: 'atMost',
        LIKE: 'contains',
        IN: 'oneOf',
      },
      pattern: { any: null },
      separator: ';',
      maxIds: 2,
      formId: 'id',
      instanceId: 'id',
    },
  },
  adapter: {},
  hasChoice: true,
  credentials: ['user', 'secret'],
  isNeverModified: true,
  rule: {
    parameters: { takes: [{ name: 'amount', type: 'number' }], version: [] },
    outputs: { gives: [{ name: 'rate', type: 'number', value: 0.1 }], hints: [] },
  },
  token: (token) => ({
    status: 201,
    headers: { authorization: token, 'set-cookie': 'sid=1; HttpOnly' },
  }),
  forms: {
    order: { id: 'order', title: 'Order', revision: '3' },
    supplier: { id: 'supplier', title: 'Supplier', revision: '12' },
  },
  definitions: {
    order: {
      body: {
        id: 'order',
        title: 'Order',
        revision: '3',
        fields: [
          { id: 'title', title: 'Title', type: 'string', mandatory: true },
          { id: 'amount', title: 'Amount', type: 'money', mandatory: false },
          { id: 'paid', title: 'Paid', type: 'checkbox', mandatory: false },
          { id: 'due', title: 'Due', type: 'date', mandatory: false },
          { id: 'placedAt', title: 'Placed at', type: 'timestamp', mandatory: false },
          {
            id: 'supplier',
            title: 'Supplier',
            type: 'link',
            mandatory: false,
            refersTo: 'supplier',
          },
        ],
        links: [{ rel: 'instances', href: HREF, method: 'GET' }],
      },
    },
    supplier: {
      body: {
        id: 'supplier',
        title: 'Supplier',
        revision: '12',
        fields: [
          { id: 'company', title: 'Company', type: 'string', mandatory: true },
          { id: 'state', title: 'State', type: 'select', options: STATES },
        ],
      },
    },
  },
  order: (id, { placedAt, ...fields }) => ({
    idInstance: id,
    fields: sequence({ ...fields, placedAt: placedAt && Date.parse(`${placedAt}Z`) / 1_000 }),
    _links: {
      self: { href: `${HREF}/${id}`, methods: ['GET', 'PUT', 'PATCH', 'DELETE'] },
      form: { href: '/rest/api/v1.0/forms/order' },
    },
  }),
  supplier: (id, fields) => ({ idInstance: id, fields: sequence({ ...fields }) }),
  list: ({ rows, total, start, size, hasNext }) => ({
    body: {
      _embedded: { rows, notes: [] },
      _links: {
        self: { href: HREF },
        next: hasNext ? { href: `${HREF}?page-number=1` } : undefined,
      },
      page: { number: start / size, size, totalElements: total },
    },
  }),
  one: (row, id) => ({
    headers: {
      link: `<${HREF}/${id}>; rel="self"; method="GET", <${HREF}/${id}>; rel="self"; method="PUT"`,
    },
    body: (row as { readonly fields: unknown }).fields,
  }),
  created: (_row, id) => ({ status: 201, headers: { location: `${HREF}/${id}` } }),
  updated: () => ({ status: 202 }),
  deleted: () => ({ status: 204 }),
  absent: {
    status: 404,
    body: { message: 'There is no order 99.', errorCode: 'INSTANCE_UNKNOWN' },
  },
  refused: {
    status: 400,
    body: {
      message: 'There is no such supplier.',
      errorCode: 'VALUES_INVALID',
      problems: [{ at: 'supplier', says: 'is unknown' }],
    },
  },
  refusal: {
    message: 'There is no such supplier.',
    errorCode: 'VALUES_INVALID',
    fields: ['supplier'],
  },
  limited: { status: 403, body: { message: 'Slow down.', errorCode: 'REQUEST_LIMIT_EXCEEDED' } },
  written: {
    create: {
      fields: { ...NEW_ORDER, placedAt: 1_777_536_900, supplier: '7' },
    },
    update: { fields: CHANGE },
  },
} satisfies PlatformData;

export const ownWords = { ...data, start: () => startPlatform(data) };

function sequence(values: Readonly<Record<string, unknown>>) {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}
