import { describe, expect, it } from 'vitest';

import { callerKeys, executeAs } from '../../identity/support.ts';
import { writeFolder } from '../../support/folder.ts';
import { type Env, startGateway } from '../../support/gateway.ts';
import { planOf } from '../../support/plan.ts';
import { type SeenRequest, scriptPlatform } from '../../support/scripted-platform.ts';
import { writeDialect } from '../../support/write-dialect.ts';
import { connect, writeDocuments } from '../mcp/support.ts';
import { writeRoles } from '../roles/support.ts';

const FORMS = [
  {
    idForm: 'order',
    fields: [
      { name: 'title', type: 'text' },
      {
        name: 'tags',
        type: 'select',
        multiple: true,
        options: ['red', { value: 2, label: 'Two' }, 'blue'],
      },
      { name: 'suppliers', type: 'reference', reference: 'supplier', multiple: true },
      { name: 'first', type: 'reference', reference: 'supplier' },
    ],
  },
  {
    idForm: 'supplier',
    fields: [
      { name: 'name', type: 'text' },
      { name: 'kinds', type: 'checkbox', options: ['shop', 'web'], required: 1 },
    ],
  },
];

/** How many suppliers there are: those with other ids do not exist. */
const SUPPLIERS = 90;
const supplier = (id: number) => ({
  idInstance: id,
  values: { name: `Supplier ${id}`, kinds: ['web'] },
});
const suppliers = Array.from({ length: SUPPLIERS }, (_, index) => supplier(index + 1));

type Rows = Readonly<Record<string, readonly { readonly idInstance: number }[]>>;

/** Answers a read of definitions, of a list that may be searched by ids, or of one instance. */
function answerRead(url: string, rows: Rows) {
  const { pathname, searchParams } = new URL(url, 'http://platform');
  const [, , , form = '', , id] = pathname.split('/');
  if (!pathname.includes('/instances'))
    return { body: FORMS.find(({ idForm }) => idForm === form) ?? FORMS };
  const [, ids] = /idInstance=(?:in|eq):([-\d|]*)/.exec(searchParams.get('search') ?? '') ?? [];
  const wanted = (id ?? ids)?.split('|').map(Number);
  const found = rows[form]?.filter(({ idInstance }) => wanted?.includes(idInstance) ?? true) ?? [];
  if (id === undefined) return { body: { items: found, total: found.length } };
  return found.length > 0 ? { body: found[0] } : { status: 404, body: {} };
}

/** Starts a gateway before a platform with these orders. It accepts any change. */
async function startOrders(orders: readonly object[], env: Env = {}) {
  const rows = {
    order: orders.map((values, index) => ({ idInstance: index + 1, values })),
    supplier: suppliers,
  };
  const platform = await scriptPlatform(({ method, url }) => {
    if (method === 'GET') return answerRead(url, rows);
    return method === 'POST' ? { status: 201, body: { idInstance: 7 } } : { status: 202 };
  });
  const gateway = await startGateway({ ...platform.env, TYPED_FORMS: '*', ...env });
  platform.seen.splice(0);
  return { ...gateway, seen: platform.seen };
}

const bodies = (seen: SeenRequest[]) =>
  seen.splice(0).flatMap(({ body }) => (body ? [JSON.parse(body)] : []));
const READ = '{ orders(first: 100) { nodes { tags suppliers { instanceId name } } } }';
const refs = (...ids: readonly number[]) =>
  ids.map((id) => ({ instanceId: `${id}`, name: `Supplier ${id}` }));

describe('a field with several values', () => {
  it('is a list in outputs and inputs, and has neither a filter nor an order nor a back reference', async () => {
    const { execute } = await startOrders([]);
    const members = '{ name type { kind name ofType { kind name ofType { name } } } }';

    const { data } = await execute(`{
      order: __type(name: "Order") { fields ${members} }
      values: __type(name: "CreateOrderValues") { inputFields ${members} }
      required: __type(name: "CreateSupplierValues") { inputFields { name type { kind } } }
      filter: __type(name: "OrderFilterInput") { inputFields { name } }
      sort: __type(name: "OrderOrderField") { enumValues { name } }
      supplier: __type(name: "Supplier") { fields { name args { name } } }
    }`);

    const typeIn = (
      fields: readonly { readonly name: string; readonly type: object }[],
      name: string,
    ) => fields.find((field) => field.name === name)?.type;
    const listOf = (name: string) => ({
      kind: 'LIST',
      ofType: { kind: 'NON_NULL', ofType: { name } },
    });
    expect(typeIn(data.order.fields, 'tags')).toMatchObject(listOf('OrderTags'));
    expect(typeIn(data.order.fields, 'suppliers')).toMatchObject(listOf('Supplier'));
    expect(typeIn(data.values.inputFields, 'tags')).toMatchObject(listOf('OrderTags'));
    expect(typeIn(data.values.inputFields, 'suppliers')).toMatchObject(listOf('ID'));
    expect(typeIn(data.required.inputFields, 'kinds')).toEqual({ kind: 'NON_NULL' });
    const namesOf = (fields: readonly { readonly name: string }[]) =>
      fields.map(({ name }) => name);
    expect(namesOf(data.filter.inputFields)).toEqual(['instanceId', 'title', 'first']);
    expect(namesOf(data.sort.enumValues)).toEqual(['INSTANCE_ID', 'TITLE']);
    const lists = data.supplier.fields.filter(({ args }: { args: { name: string }[] }) =>
      args.some(({ name }) => name === 'where'),
    );
    // The other reference is the first that has one.
    expect(namesOf(lists)).toEqual(['orders']);
  });

  it('has the values of a list, one value, or an empty list', async () => {
    const table: readonly (readonly [held: object, read: object])[] = [
      [
        { tags: ['red', 2], suppliers: [1, 2] },
        { tags: ['RED', 'TWO'], suppliers: refs(1, 2) },
      ],
      [
        { tags: ['2'], suppliers: ['3', { id: 4 }, [5, 'Five']] },
        { tags: ['TWO'], suppliers: refs(3, 4, 5) },
      ],
      [
        { tags: 'blue', suppliers: 1 },
        { tags: ['BLUE'], suppliers: refs(1) },
      ],
      [
        { tags: 2, suppliers: [6, 'Six'] },
        { tags: ['TWO'], suppliers: refs(6) },
      ],
      [
        { tags: ['', 'red', null], suppliers: { data: [{ id: 7 }] } },
        { tags: ['RED'], suppliers: refs(7) },
      ],
      [
        { tags: ['red', 'red'], suppliers: [1, 1] },
        { tags: ['RED', 'RED'], suppliers: refs(1, 1) },
      ],
      ...[null, '', [], {}, ['']].map(
        (empty) => [{ tags: empty, suppliers: empty }, EMPTY] as const,
      ),
      [{}, EMPTY],
      // Targets that are gone are left out.
      [
        { tags: [], suppliers: [1, 1000, 2, 1001] },
        { tags: [], suppliers: refs(1, 2) },
      ],
    ];
    const { dataOf } = await startOrders(table.map(([held]) => held));

    const data = await dataOf(READ);

    expect(data.orders.nodes).toEqual(table.map(([, read]) => read));
  });

  it('is null with an error where one value is unreadable', async () => {
    const { execute } = await startOrders([
      { tags: ['red', ['blue']], suppliers: ['Acme', 1] },
      { tags: { red: true }, suppliers: [1, [2, 3]] },
      { tags: ['red'], suppliers: 'Acme' },
      { tags: [{ value: 'red' }], suppliers: { name: 'Acme' } },
    ]);

    const { data, errors } = await execute(READ);

    const unread = { tags: null, suppliers: null };
    expect(data.orders.nodes).toEqual([unread, unread, { tags: ['RED'], suppliers: null }, unread]);
    expect(
      errors?.map(({ path = [], extensions }) => [...path.slice(2), extensions['code']]),
    ).toEqual([
      ...[0, 1].flatMap((row) =>
        ['tags', 'suppliers'].map((field) => [row, field, 'UPSTREAM_INVALID_RESPONSE']),
      ),
      [2, 'suppliers', 'UPSTREAM_INVALID_RESPONSE'],
      ...['tags', 'suppliers'].map((field) => [3, field, 'UPSTREAM_INVALID_RESPONSE']),
    ]);
    expect(JSON.stringify(errors)).not.toContain('Acme');
  });

  it('is null where an option is gone, with one error for all rows of the list', async () => {
    const gone = { tags: ['red', 'green'] };
    const { execute } = await startOrders([
      { tags: ['red'] },
      gone,
      { tags: ['green'] },
      gone,
      { tags: 'red,blue' },
    ]);

    const { data, errors } = await execute('{ orders { nodes { tags } } }');

    expect(data.orders.nodes.map(({ tags }: { tags: unknown }) => tags)).toEqual([
      ['RED'],
      null,
      null,
      null,
      null,
    ]);
    expect(errors).toMatchObject([
      {
        path: ['orders', 'nodes', 1, 'tags'],
        message: expect.stringContaining('"tags" has a value that is not'),
      },
    ]);
  });
});

const EMPTY = { tags: [], suppliers: [] };

describe('several references', () => {
  it('of all rows cause one list call with each target once', async () => {
    const { execute, seen } = await startOrders([
      { suppliers: [1, 2, 3], first: 4 },
      { suppliers: [3, 4], first: 1 },
      { suppliers: 5 },
    ]);

    const { errors } = await execute('{ orders { nodes { first { name } suppliers { name } } } }');

    expect(errors).toBeUndefined();
    const calls = seen.map(({ url }) => decodeURIComponent(url));
    expect(calls).toHaveLength(2);
    const [, ids = ''] = /idInstance=in:([\d|]*)/.exec(calls[1] ?? '') ?? [];
    expect(ids.split('|').sort()).toEqual(['1', '2', '3', '4', '5']);
  });

  it('beyond fifty of one value are an error of that value alone', async () => {
    const ids = Array.from({ length: 51 }, (_, index) => index + 1);
    const { execute } = await startOrders([{ suppliers: ids }, { suppliers: ids.slice(1) }]);

    const { data, errors } = await execute(
      '{ orders { nodes { suppliers { instanceId } value(field: "suppliers") } } }',
    );

    const [first, second] = data.orders.nodes;
    expect(first).toEqual({ suppliers: null, value: ids });
    expect(second.suppliers).toHaveLength(50);
    expect(errors).toMatchObject([
      {
        path: ['orders', 'nodes', 0, 'suppliers'],
        message: expect.stringContaining('holds 51 references, and at most 50 are loaded'),
        extensions: { code: 'ANSWER_TOO_LARGE' },
      },
    ]);
  });

  it.each([
    ['by lists of ids', {}, 90],
    ['one by one', { search: { operators: { IN: null } } }, 50],
  ])('cost at most the calls of the plan, %s', async (_how, dialect, count) => {
    const rows = [0, 1].map((row) =>
      Array.from({ length: 50 }, (_, index) => ((row * 40 + index) % count) + 1),
    );
    const env = { UPSTREAM_DIALECT: writeDialect(dialect), COST_MAX_CALLS: '1000' };
    const { execute, url, seen } = await startOrders(
      rows.map((ids) => ({ suppliers: ids })),
      env,
    );
    const query = '{ orders(first: 2) { nodes { suppliers { name } } } }';
    const plan = await planOf(url, query);

    const { errors } = await execute(query);

    expect(errors).toBeUndefined();
    // The list, and two look-ups or one read for each reference.
    expect(plan.calls.most).toBe(count === 90 ? 3 : 101);
    expect(seen.length).toBeLessThanOrEqual(plan.calls.most);
    // The two rows, the two lists, and the two fields of each target.
    expect(plan.fields.most).toBeGreaterThanOrEqual(2 * 50);
  });

  it('to a form that the caller’s role may not read are an error', async () => {
    const roles = { callers: { web: 'clerk' }, roles: { clerk: { forms: { order: ['read'] } } } };
    const { url, seen } = await startOrders([{ suppliers: [1, 2] }], {
      ...callerKeys('web'),
      ROLES: writeRoles(roles),
    });

    const { data, errors } = await executeAs(url, '{ orders { nodes { suppliers { name } } } }', {
      'x-api-key': 'web',
    });

    expect(data.orders.nodes).toEqual([{ suppliers: null }]);
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    expect(seen.map(({ url }) => url).join()).not.toContain('/supplier/instances');
  });

  it('are read one at a time by the generic graph, and never as null', async () => {
    const { execute } = await startOrders([{ suppliers: [1] }, { suppliers: [1, 2] }]);
    const name = 'reference(field: "suppliers") { value(field: "name") }';

    const { data, errors } = await execute(`{ instances(formId: "order") { nodes { ${name} } } }`);

    expect(data.instances.nodes).toEqual([
      { reference: { value: 'Supplier 1' } },
      { reference: null },
    ]);
    expect(errors).toMatchObject([
      { message: expect.stringContaining('holds several references') },
    ]);
  });
});

describe('an input of several values', () => {
  it('is written as a list, alone and in bulk; null and no values stay what they are', async () => {
    const { execute, seen } = await startOrders([]);

    const { errors } = await execute(`mutation {
      a: createOrder(input: { values: { tags: [RED, TWO], suppliers: [1, "2"] } }) { __typename }
      b: updateOrder(input: { instanceId: 7, values: { tags: BLUE, suppliers: 3 } }) { __typename }
      c: replaceOrder(input: { instanceId: 7, values: { tags: [], suppliers: null } }) { __typename }
      d: createOrders(input: { items: [{ values: { tags: [RED], suppliers: [] } }] }) { done }
    }`);

    expect(errors).toBeUndefined();
    expect(bodies(seen)).toEqual([
      { values: { tags: ['red', 2], suppliers: [1, 2] } },
      { values: { tags: ['blue'], suppliers: [3] } },
      { values: { tags: [], suppliers: null } },
      { values: { tags: ['red'], suppliers: [] } },
    ]);
  });

  it('has references written in the dialect’s form, and takes global ids, also in the generic graph', async () => {
    const dialect = { form: { writtenReference: 'text' } };
    const { execute, seen } = await startOrders([], { UPSTREAM_DIALECT: writeDialect(dialect) });
    const { data } = await execute('{ supplier(instanceId: 3) { id } }');
    const { id } = data.supplier;
    seen.splice(0);

    const { errors } = await execute(
      `mutation ($ids: [ID!], $values: JSONObject!) {
        createOrder(input: { values: { suppliers: $ids } }) { __typename }
        createInstance(input: { formId: "order", values: $values }) { __typename }
      }`,
      { ids: [id, 4], values: { suppliers: [id, 4], first: id } },
    );

    expect(errors).toBeUndefined();
    expect(bodies(seen)).toEqual([
      { values: { suppliers: ['3', '4'] } },
      { values: { suppliers: ['3', 4], first: '3' } },
    ]);
  });

  it('is refused with its field where a value is invalid, or a required field has no value', async () => {
    const { execute, seen } = await startOrders([]);
    const ORDER =
      'mutation ($values: CreateOrderValues!) { createOrder(input: { values: $values }) { __typename } }';
    const SUPPLIER = ORDER.replaceAll('Order', 'Supplier');

    const answers = [
      await execute(ORDER, { values: { tags: ['RED', 'GREEN'], suppliers: [1, 'Acme'] } }),
      await execute(ORDER, { values: { tags: [null] } }),
      await execute(SUPPLIER, { values: { kinds: [] } }),
      await execute(SUPPLIER, { values: { kinds: null } }),
      await execute('mutation { createSupplier(input: { values: { kinds: [] } }) { __typename } }'),
    ];

    const violations = answers.map(({ errors }) => errors?.[0]?.extensions['violations']);
    const path = (...rest: readonly (string | number)[]) => ['input', 'values', ...rest];
    expect(violations).toMatchObject([
      [
        { path: path('tags', 1), constraint: 'choices' },
        { path: path('suppliers'), constraint: 'kind' },
      ],
      [{ path: path('tags', 0), constraint: 'required' }],
      [{ path: path('kinds'), constraint: 'minItems', limit: 1 }],
      [{ path: path('kinds'), constraint: 'required' }],
      [{ path: path('kinds'), constraint: 'minItems', limit: 1 }],
    ]);
    expect(seen).toEqual([]);
  });
});

it('a tool of MCP takes and gives several values', async () => {
  const MAKE = `"Makes." mutation Make($tags: [OrderTags!], $suppliers: [ID!]!, $kinds: [SupplierKinds!]!) {
    createOrder(input: { values: { tags: $tags, suppliers: $suppliers } }) { __typename }
    createSupplier(input: { values: { kinds: $kinds } }) { __typename }
  }`;
  const LIST = '"Lists." query List { orders { nodes { tags suppliers { name } } } }';
  const { url, seen } = await startOrders([{ tags: [2], suppliers: [1] }], {
    MCP: 'all',
    DOCUMENTS: writeDocuments(MAKE, LIST),
  });
  const client = await connect(url);

  const { tools } = await client.listTools();
  const { structuredContent } = await client.callTool({ name: 'List', arguments: {} });
  seen.splice(0);
  await client.callTool({
    name: 'Make',
    arguments: { tags: ['TWO'], suppliers: ['1', '2'], kinds: ['WEB'] },
  });

  const tags = { type: 'array', items: { type: 'string', enum: ['RED', 'TWO', 'BLUE'] } };
  expect(tools.find(({ name }) => name === 'Make')?.inputSchema).toMatchObject({
    properties: {
      tags: { anyOf: [tags, { type: 'null' }] },
      suppliers: { type: 'array', items: { type: 'string' } },
      kinds: { type: 'array', items: { type: 'string', enum: ['SHOP', 'WEB'] }, minItems: 1 },
    },
    required: ['suppliers', 'kinds'],
  });
  expect(structuredContent).toEqual({
    orders: { nodes: [{ tags: ['TWO'], suppliers: [{ name: 'Supplier 1' }] }] },
  });
  expect(bodies(seen)).toEqual([
    { values: { tags: [2], suppliers: [1, 2] } },
    { values: { kinds: ['web'] } },
  ]);
});

it('an extension reads several values, takes them as arguments and gives them', async () => {
  const extension = `export default {
    typeDefs: \`
      extend type Order { seen: String  more: [OrderTags!]  partners: [Supplier!]  wrong: [OrderTags!] }
      extend type Query { echo(tags: [OrderTags!]): [OrderTags!] }
    \`,
    resolvers: {
      Order: {
        seen: { needs: '{ tags suppliers { instanceId } }', resolve: (order) => JSON.stringify(order) },
        more: { needs: '{ tags }', resolve: ({ tags }) => [...tags, 'BLUE'] },
        partners: { needs: '{ suppliers { id } }', resolve: ({ suppliers }) => suppliers },
        wrong: { resolve: () => ['RED', 'GREEN'] },
      },
      Query: { echo: (_source, { tags }) => tags.toReversed() },
    },
  };`;
  const env = { EXTENSIONS: writeFolder({ 'own.js': extension }) };
  const { execute } = await startOrders([{ tags: ['red', 2], suppliers: [1, 2] }], env);

  const { data, errors } = await execute(
    'query ($tags: [OrderTags!]) { order(instanceId: 1) { seen more partners { name } wrong } echo(tags: $tags) }',
    { tags: ['RED', 'TWO'] },
  );

  expect(data).toEqual({
    order: {
      seen: '{"tags":["RED","TWO"],"suppliers":[{"instanceId":"1"},{"instanceId":"2"}]}',
      more: ['RED', 'TWO', 'BLUE'],
      partners: [{ name: 'Supplier 1' }, { name: 'Supplier 2' }],
      wrong: null,
    },
    echo: ['TWO', 'RED'],
  });
  expect(errors).toMatchObject([{ path: ['order', 'wrong', 1] }]);
});
