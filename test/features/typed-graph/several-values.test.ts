import { buildSchema, isEnumType, isInputObjectType, isObjectType } from 'graphql';
import { afterAll, describe, expect, it } from 'vitest';

import { callerKeys, executeAs } from '../../identity/support.ts';
import { writeFolder } from '../../support/folder.ts';
import { type Env, startGateway } from '../../support/gateway.ts';
import { planOf } from '../../support/plan.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';
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

/** The suppliers 1 to 90. Others do not exist. */
const SUPPLIERS = Array.from({ length: 90 }, (_, index) => ({
  idInstance: index + 1,
  values: { name: `Supplier ${index + 1}`, kinds: ['web'] },
}));

/** Answers a read of definitions, of a list that may be searched by ids, or of one instance. */
function answerRead(url: string, orders: readonly object[]) {
  const { pathname, searchParams } = new URL(url, 'http://platform');
  const [, , , form, , id] = pathname.split('/');
  if (!pathname.includes('/instances'))
    return { body: FORMS.find(({ idForm }) => idForm === form) ?? FORMS };
  const rows =
    form === 'supplier'
      ? SUPPLIERS
      : orders.map((values, index) => ({ idInstance: index + 1, values }));
  if (id) {
    const row = rows[Number(id) - 1];
    return row ? { body: row } : { status: 404, body: {} };
  }
  const [, ids] = /idInstance=(?:in|eq):([-\d|]*)/.exec(searchParams.get('search') ?? '') ?? [];
  const items = rows.filter(
    ({ idInstance }) => ids === undefined || ids.split('|').includes(String(idInstance)),
  );
  return { body: { items, total: items.length } };
}

/**
 * Starts a gateway before a platform with these orders, which accepts any change. `seen` has the
 * calls, and `bodies` returns the bodies of the changes so far.
 */
async function startOrders(orders: readonly object[], env: Env = {}) {
  let rows = orders;
  const platform = await scriptPlatform(({ method, url }) => {
    if (method === 'GET') return answerRead(url, rows);
    return method === 'POST' ? { status: 201, body: { idInstance: 7 } } : { status: 202 };
  });
  const { seen } = platform;
  const gateway = await startGateway({ ...platform.env, TYPED_FORMS: '*', ...env });
  seen.length = 0;
  return {
    ...gateway,
    seen,
    bodies: () => seen.flatMap(({ body }) => (body ? JSON.parse(body) : [])),
    /** Replaces the orders, and forgets the calls. */
    fill(next: readonly object[]) {
      rows = next;
      seen.length = 0;
    },
    close: () => gateway.close().then(platform.close),
  };
}

const { url, execute, dataOf, seen, bodies, fill, close } = await startOrders([]);
afterAll(close);

const READ = '{ orders(first: 100) { nodes { tags suppliers { instanceId name } } } }';
const refs = (...ids: readonly number[]) =>
  ids.map((id) => ({ instanceId: `${id}`, name: `Supplier ${id}` }));
const EMPTY = { tags: [], suppliers: [] };

describe('a field with several values', () => {
  it('is a list in outputs and inputs, and has neither a filter nor an order nor a back reference', async () => {
    fill([]);
    const schema = buildSchema(await (await fetch(`${url}/schema.graphql`)).text());
    const typesIn = (name: string) => {
      const type = schema.getType(name);
      if (!isObjectType(type) && !isInputObjectType(type)) throw new Error(`${name} is missing`);
      const fields = Object.values(type.getFields());
      return Object.fromEntries(fields.map((field) => [field.name, String(field.type)]));
    };
    const order = schema.getType('OrderOrderField');

    expect(typesIn('Order')).toMatchObject({ tags: '[OrderTags!]', suppliers: '[Supplier!]' });
    expect(typesIn('CreateOrderValues')).toMatchObject({
      tags: '[OrderTags!]',
      suppliers: '[ID!]',
    });
    expect(typesIn('CreateSupplierValues')).toMatchObject({ kinds: '[SupplierKinds!]!' });
    expect(Object.keys(typesIn('OrderFilterInput'))).toEqual(['first', 'instanceId', 'title']);
    expect(isEnumType(order) && order.getValues().map(({ name }) => name)).toEqual([
      'INSTANCE_ID',
      'TITLE',
    ]);
    // The other reference is the first that has one.
    expect(typesIn('Supplier')).toHaveProperty('orders');
    expect(typesIn('Supplier')).not.toHaveProperty('ordersBySuppliers');
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
      // Targets that are gone are left out.
      [{ suppliers: [1, 1000, 2, 1001] }, { tags: [], suppliers: refs(1, 2) }],
    ];
    const empty = [null, '', [], {}, ['']].map((value) => ({ tags: value, suppliers: value }));
    fill([...table.map(([held]) => held), ...empty, {}]);

    const { orders } = await dataOf(READ);

    expect(orders.nodes).toEqual([...table.map(([, read]) => read), ...Array(6).fill(EMPTY)]);
  });

  it('is null with an error where one value is unreadable', async () => {
    fill([
      { tags: ['red', ['blue']], suppliers: ['Acme', 1] },
      { tags: { red: true }, suppliers: [1, [2, 3]] },
      { tags: ['red'], suppliers: 'Acme' },
      { tags: [{ value: 'red' }], suppliers: { name: 'Acme' } },
    ]);

    const { data, errors } = await execute(READ);

    const unread = { tags: null, suppliers: null };
    expect(data.orders.nodes).toEqual([unread, unread, { tags: ['RED'], suppliers: null }, unread]);
    const places = errors?.map(
      ({ path, extensions }) => `${path?.slice(2).join('.')} ${extensions['code']}`,
    );
    const failed = [
      '0.tags',
      '0.suppliers',
      '1.tags',
      '1.suppliers',
      '2.suppliers',
      '3.tags',
      '3.suppliers',
    ];
    expect(places).toEqual(failed.map((place) => `${place} UPSTREAM_INVALID_RESPONSE`));
    expect(JSON.stringify(errors)).not.toContain('Acme');
  });

  it('is null where an option is gone, with one error for all rows of the list', async () => {
    const tags = [['red'], ['red', 'green'], ['green'], 'red,blue'];
    fill(tags.map((value) => ({ tags: value })));

    const { data, errors } = await execute('{ orders { nodes { tags } } }');

    const [first, ...others] = data.orders.nodes;
    expect(first).toEqual({ tags: ['RED'] });
    expect(others).toEqual(Array(3).fill({ tags: null }));
    expect(errors).toMatchObject([
      {
        path: ['orders', 'nodes', 1, 'tags'],
        message: expect.stringContaining('"tags" has a value that is not'),
      },
    ]);
  });
});

describe('several references', () => {
  it('of all rows cause one list call with each target once', async () => {
    fill([{ suppliers: [1, 2, 3], first: 4 }, { suppliers: [3, 4], first: 1 }, { suppliers: 5 }]);

    await dataOf('{ orders { nodes { first { name } suppliers { name } } } }');

    expect(seen).toHaveLength(2);
    const [, ids] = /idInstance=in:([\d|]*)/.exec(decodeURIComponent(seen[1]?.url ?? '')) ?? [];
    expect(ids?.split('|').sort()).toEqual(['1', '2', '3', '4', '5']);
  });

  it('beyond fifty of one value are an error of that value alone', async () => {
    const ids = Array.from({ length: 51 }, (_, index) => index + 1);
    fill([{ suppliers: ids }, { suppliers: ids.slice(1) }]);

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
    // The list and two look-ups, or one read for each reference.
    ['by lists of ids', {}, 40, 3],
    ['one by one', { search: { operators: { IN: null } } }, 0, 101],
  ])('cost at most the calls of the plan, %s', async (_how, dialect, shift, most) => {
    const orders = [1, shift + 1].map((start) => ({
      suppliers: Array.from({ length: 50 }, (_, index) => start + index),
    }));
    const { dataOf, url, seen } = await startOrders(orders, {
      UPSTREAM_DIALECT: writeDialect(dialect),
      COST_MAX_CALLS: '1000',
    });
    const query = '{ orders(first: 2) { nodes { suppliers { name } } } }';
    const plan = await planOf(url, query);

    await dataOf(query);

    expect(plan.calls.most).toBe(most);
    expect(seen.length).toBeLessThanOrEqual(most);
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
    fill([{ suppliers: [1] }, { suppliers: [1, 2] }]);
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
    fill([]);

    await dataOf(`mutation {
      a: createOrder(input: { values: { tags: [RED, TWO], suppliers: [1, "2"] } }) { __typename }
      b: updateOrder(input: { instanceId: 7, values: { tags: BLUE, suppliers: 3 } }) { __typename }
      c: replaceOrder(input: { instanceId: 7, values: { tags: [], suppliers: null } }) { __typename }
      d: createOrders(input: { items: [{ values: { tags: [RED], suppliers: [] } }] }) { done }
    }`);

    expect(bodies()).toEqual([
      { values: { tags: ['red', 2], suppliers: [1, 2] } },
      { values: { tags: ['blue'], suppliers: [3] } },
      { values: { tags: [], suppliers: null } },
      { values: { tags: ['red'], suppliers: [] } },
    ]);
  });

  it('has references written in the dialect’s form, and takes global ids, also in the generic graph', async () => {
    const dialect = writeDialect({ form: { writtenReference: 'text' } });
    const { dataOf, bodies } = await startOrders([], { UPSTREAM_DIALECT: dialect });
    const { supplier } = await dataOf('{ supplier(instanceId: 3) { id } }');
    const suppliers = [supplier.id, 4];

    await dataOf(
      `mutation ($ids: [ID!], $values: JSONObject!) {
        createOrder(input: { values: { suppliers: $ids } }) { __typename }
        createInstance(input: { formId: "order", values: $values }) { __typename }
      }`,
      { ids: suppliers, values: { suppliers, first: supplier.id } },
    );

    expect(bodies()).toEqual([
      { values: { suppliers: ['3', '4'] } },
      { values: { suppliers: ['3', 4], first: '3' } },
    ]);
  });

  it('is refused with its field where a value is invalid, or a required field has no value', async () => {
    fill([]);
    const violationsOf = async (form: string, values: object) => {
      const { errors } = await execute(
        `mutation ($values: Create${form}Values!) { create${form}(input: { values: $values }) { __typename } }`,
        { values },
      );
      return errors?.[0]?.extensions['violations'];
    };
    const literal = await execute(
      'mutation { createSupplier(input: { values: { kinds: [] } }) { __typename } }',
    );

    expect(
      await violationsOf('Order', { tags: ['RED', 'GREEN'], suppliers: [1, 'Acme'] }),
    ).toMatchObject([
      { path: ['input', 'values', 'tags', 1], constraint: 'choices' },
      { path: ['input', 'values', 'suppliers'], constraint: 'kind' },
    ]);
    expect(await violationsOf('Order', { tags: [null] })).toMatchObject([
      { path: ['input', 'values', 'tags', 0], constraint: 'required' },
    ]);
    const kinds = { path: ['input', 'values', 'kinds'] };
    const tooFew = [{ ...kinds, constraint: 'minItems', limit: 1 }];
    expect(await violationsOf('Supplier', { kinds: [] })).toMatchObject(tooFew);
    expect(literal.errors).toMatchObject([{ extensions: { violations: tooFew } }]);
    expect(await violationsOf('Supplier', { kinds: null })).toMatchObject([
      { ...kinds, constraint: 'required' },
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
  const { url, bodies } = await startOrders([{ tags: [2], suppliers: [1] }], {
    MCP: 'all',
    DOCUMENTS: writeDocuments(MAKE, LIST),
  });
  const client = await connect(url);

  const { tools } = await client.listTools();
  const { structuredContent } = await client.callTool({ name: 'List', arguments: {} });
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
  expect(bodies()).toEqual([
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
