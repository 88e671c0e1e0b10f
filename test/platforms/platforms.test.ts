import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { dialectSchema } from '../../src/upstream/dialect.ts';
import { startGateway } from '../support/gateway.ts';
import { runCommand } from '../support/run.ts';
import { writeDialect } from '../support/write-dialect.ts';
import { camunda7 } from './camunda7.ts';
import { camunda8 } from './camunda8.ts';
import { dataverse } from './dataverse.ts';
import { flowable } from './flowable.ts';
import { frappe } from './frappe.ts';
import { jotform } from './jotform.ts';
import { odoo } from './odoo.ts';
import { ownWords } from './own-words.ts';
import {
  CHANGE,
  NEW_CASE,
  NEW_ORDER,
  ORDERS,
  type Order,
  type Platform,
  SUPPLIERS,
  UNKNOWN_SUPPLIER,
} from './platform.ts';
import { salesforce } from './salesforce.ts';
import { sandbox } from './sandbox.ts';
import { serviceNow } from './servicenow.ts';
import { sharePoint } from './sharepoint.ts';
import { strapi } from './strapi.ts';

const PLATFORMS: readonly Platform[] = [
  sandbox,
  ownWords,
  flowable,
  camunda7,
  camunda8,
  salesforce,
  dataverse,
  serviceNow,
  frappe,
  strapi,
  sharePoint,
  odoo,
  jotform,
];

/** An order as a client reads it from each platform. */
const shownOf = (instanceId: string, { amount, placedAt, supplier, ...order }: Order) => ({
  ...order,
  instanceId,
  amount: String(amount),
  placedAt: placedAt && `${placedAt}.000Z`,
  supplier: supplier && { instanceId: String(supplier), ...SUPPLIERS[supplier] },
});
const SHOWN = Object.entries(ORDERS).map(([id, order]) => shownOf(id, order));
const [DESKS, LAMPS, CHAIRS] = SHOWN;

const ORDER = 'instanceId title amount paid due placedAt supplier { instanceId company }';
const CREATE = `mutation ($values: CreateOrderValues!) {
  createOrder(input: { values: $values }) { instance { ${ORDER} } }
}`;
const NEW_VALUES = {
  ...NEW_ORDER,
  amount: '99.95',
  placedAt: '2026-04-30T10:15:00+02:00',
  supplier: '7',
};

/** Starts a platform and a gateway before it. `calls` lists the calls since the start. */
async function start(platform: Platform) {
  const running = await platform.start();
  const gateway = await startGateway({ TYPED_FORMS: '*', ...running.settings });
  running.calls.splice(0);
  return { ...running, ...gateway };
}

describe.each(PLATFORMS)('$name', (platform) => {
  const total = platform.hasTotal ? 3 : null;

  it('lists its orders with their suppliers by two calls, and pages by cursor and number', async () => {
    const { dataOf, calls } = await start(platform);
    const page = `totalCount pageInfo { hasNextPage endCursor } nodes { ${ORDER} }`;

    const all = await dataOf(`{ orders { nodes { ${ORDER} } } }`);
    const listCalls = calls.length;
    const { first } = await dataOf(`{ first: orders(first: 2) { ${page} } }`);
    const after = JSON.stringify(first.pageInfo.endCursor);
    const { byCursor, byNumber } = await dataOf(`{
      byCursor: orders(first: 2, after: ${after}) { ${page} }
      byNumber: orders(first: 2, page: 2) { ${page} }
    }`);

    expect(all.orders.nodes).toEqual(SHOWN);
    expect(listCalls).toBe(2);
    expect(first).toMatchObject({
      totalCount: total,
      pageInfo: { hasNextPage: true },
      nodes: [DESKS, LAMPS],
    });
    for (const second of [byCursor, byNumber]) {
      expect(second).toMatchObject({
        totalCount: total,
        pageInfo: { hasNextPage: false },
        nodes: [CHAIRS],
      });
    }
  });

  it('shows one order, null for an unknown id, its forms, and the fields of one', async () => {
    const { dataOf } = await start(platform);

    const { one, other, absent, forms, form, type } = await dataOf(`{
      one: order(instanceId: "3") { ${ORDER} }
      other: order(instanceId: "2") { ${ORDER} }
      absent: order(instanceId: "99") { ${ORDER} }
      forms { nodes { formId name } }
      form(formId: "order") { formId fields { name reference { formId } } }
      type: __type(name: "Order") { fields { name } }
    }`);

    expect([one, other, absent]).toEqual([CHAIRS, LAMPS, null]);
    expect(forms.nodes).toMatchObject([{ formId: 'order' }, { formId: 'supplier' }]);
    const names = Object.keys(NEW_ORDER);
    expect(form.fields).toEqual(
      names.map((name) => ({
        name,
        reference: name === 'supplier' ? { formId: 'supplier' } : null,
      })),
    );
    expect(type.fields).toEqual(expect.arrayContaining(names.map((name) => ({ name }))));
  });

  it('finds orders, also none, and sorts them', async () => {
    const { dataOf, execute } = await start(platform);

    const { found, none } = await dataOf(`{
      found: orders(where: { amount: { gte: "100" }, title: { ne: "Desks" } }) { nodes { title } }
      none: orders(where: { title: { eq: "Nothing" } }) { totalCount nodes { title } }
    }`);
    const sorted = await execute(
      '{ orders(orderBy: [{ field: TITLE, direction: DESC }]) { nodes { title } } }',
    );

    expect(found.nodes).toEqual([{ title: 'Chairs' }]);
    expect(none).toEqual({ totalCount: platform.hasTotal ? 0 : null, nodes: [] });
    if (platform.isSorted === false) {
      expect(sorted.errors?.[0]?.message).toMatch('Unknown argument "orderBy"');
    } else {
      const titles = ['Lamps', 'Desks', 'Chairs'];
      expect(sorted.data.orders.nodes).toEqual(titles.map((title) => ({ title })));
    }
  });

  it('creates an order', async () => {
    const { dataOf, calls } = await start(platform);

    const { createOrder } = await dataOf(CREATE, { values: NEW_VALUES });

    expect(createOrder.instance).toEqual(shownOf('4', NEW_ORDER));
    expectWritten(calls, 'POST', platform.written?.create);
  });

  it('updates, replaces and deletes orders', async () => {
    const { dataOf, calls } = await start(platform);

    const { updateOrder } = await dataOf(`mutation {
      updateOrder(input: { instanceId: 2, values: { paid: true, due: "2026-06-30" } }) {
        instance { ${ORDER} }
      }
    }`);
    const { replaceOrder } = await dataOf(`mutation {
      replaceOrder(
        input: {
          instanceId: 3
          values: {
            title: "Chairs", amount: "450.75", paid: true, due: "2026-06-30"
            placedAt: "2026-12-01T18:00:00Z", supplier: "8"
          }
        }
      ) { instance { ${ORDER} } }
    }`);
    const { deleteOrder } = await dataOf(
      'mutation { deleteOrder(input: { instanceId: 1 }) { deletedId } }',
    );
    const { order } = await dataOf('{ order(instanceId: 1) { title } }');

    expect(updateOrder.instance).toEqual({ ...LAMPS, ...CHANGE });
    expectWritten(calls, 'PATCH', platform.written?.update);
    expect(replaceOrder.instance).toEqual({ ...CHAIRS, ...CHANGE });
    expectWritten(calls, 'PUT', undefined);
    expect(deleteOrder.deletedId).toEqual(expect.any(String));
    expect(order).toBeNull();
  });

  it('refuses an order with its own message', async () => {
    const { execute } = await start(platform);
    const { message, errorCode, fields } = platform.refusal;

    const values = { ...NEW_VALUES, supplier: String(UNKNOWN_SUPPLIER) };
    const { data, errors } = await execute(CREATE, { values });

    expect(data.createOrder).toBeNull();
    expect(errors).toMatchObject([{ message: expect.stringMatching(message) }]);
    const { code, retryable, upstream, violations } = errors?.[0]?.extensions ?? {};
    expect({ code, retryable }).toEqual({ code: 'BAD_USER_INPUT', retryable: false });
    expect(upstream.errorCode).toBe(errorCode);
    const paths = violations?.map(({ path }: { readonly path: string[] }) => path);
    expect(paths).toEqual(fields?.map((field) => ['input', 'values', field]));
  });

  it('has nothing wrong for the doctor, with its dialect', async () => {
    const { settings } = await platform.start();

    const { code, stdout } = await runCommand(['doctor'], settings);

    expect(stdout).not.toMatch(/^FAIL/m);
    expect(code).toBe(0);
  });

  it('is described by the doctor, or shown to need an adapter', async () => {
    const { settings } = await platform.start();
    const { token, adapter, assumedOffset } = readDialectOf(settings);
    // No read contains the address of tokens, the names of credentials or the zone of times.
    const { value: _, ...known } = token;
    const unread = writeDialect({ token: known, form: { assumedOffset } });
    const withoutDialect = { ...settings, UPSTREAM_DIALECT: unread };

    const { stdout } = await runCommand(['doctor', '--json'], withoutDialect);
    const { dialect } = JSON.parse(stdout);
    const described = { ...settings, UPSTREAM_DIALECT: writeDialect(dialect ?? {}) };
    const after = await runCommand(['doctor'], described);
    if (adapter && after.code !== 0) {
      expect(after.stdout).toMatch(/^FAIL .*docs\/adapter\.md/m);
      return;
    }
    const { dataOf } = await startGateway({ TYPED_FORMS: '*', ...described });
    const { orders, order } = await dataOf(
      `{ orders { nodes { ${ORDER} } } order(instanceId: "3") { ${ORDER} } }`,
    );

    expect(after).toMatchObject({ code: 0, stdout: expect.not.stringMatching(/^FAIL/m) });
    // A number may be a float or a decimal; the platform's definition leaves it open.
    const withDigits = [...orders.nodes, order].map((row) => ({
      ...row,
      amount: String(row.amount),
    }));
    expect(withDigits).toEqual([...SHOWN, CHAIRS]);
  });

  it('is left alone for a while once its limit is exceeded', async () => {
    const { execute, calls, exceedLimit } = await start(platform);
    exceedLimit();

    for (const id of [1, 2]) {
      const { errors } = await execute(`{ order(instanceId: ${id}) { title } }`);
      expect(errors).toMatchObject([
        { extensions: { code: 'RATE_LIMITED', retryable: true, retryAfterMs: expect.any(Number) } },
      ]);
    }
    expect(calls).toHaveLength(1);
  });
});

it.each(PLATFORMS.filter(({ hasChoice }) => hasChoice))('$name has choices', async (platform) => {
  const { dataOf } = await start(platform);

  const { type } = await dataOf('{ type: __type(name: "SupplierState") { enumValues { name } } }');

  expect(type.enumValues).toEqual([{ name: 'OPEN' }, { name: 'PAID' }]);
});

it.each(PLATFORMS.filter(({ written }) => written?.startCase))(
  '$name starts a case',
  async (platform) => {
    const { dataOf, calls } = await start(platform);

    const { startCase } = await dataOf(
      `mutation ($values: JSONObject!) {
        startCase(input: { process: "approval", values: $values }) { case { caseId } }
      }`,
      { values: NEW_CASE },
    );

    expect(startCase.case).toEqual({ caseId: '42' });
    expectWritten(calls, 'POST', platform.written?.startCase);
  },
);

describe(ownWords.name, () => {
  it('is asked for another token once it has revoked all tokens', async () => {
    const platform = await ownWords.start();
    const { dataOf } = await startGateway({ TYPED_FORMS: '*', ...platform.settings });
    platform.revokeTokens();

    const { order } = await dataOf('{ order(instanceId: 1) { title } }');

    expect(order.title).toBe('Desks');
  });

  it('has rules in its own words', async () => {
    const { dataOf } = await start(ownWords);

    const { rule } = await dataOf(
      '{ rule(component: "discount", version: "1") { parameters { name type } } }',
    );
    const { executeRule } = await dataOf(`mutation {
      executeRule(input: { component: "discount", version: "1", parameters: [] }) { outputs { name value } }
    }`);

    expect(rule.parameters).toEqual([{ name: 'amount', type: 'number' }]);
    expect(executeRule.outputs).toEqual([{ name: 'rate', value: 0.1 }]);
  });

  it('has its allowed actions in links: in each row of a list, otherwise in a header', async () => {
    const { dataOf } = await start(ownWords);
    const can = 'links { rel method } can { replace update delete }';

    const { orders, order } = await dataOf(
      `{ orders { nodes { ${can} } } order(instanceId: 1) { ${can} } }`,
    );

    expect(orders.nodes[0].can).toEqual({ replace: true, update: true, delete: true });
    expect(order.can).toEqual({ replace: true, update: false, delete: false });
    expect(order.links).toContainEqual({ rel: 'self', method: 'PUT' });
  });
});

describe('the dialect', () => {
  it('has only members that one of these platforms needs', () => {
    const needed = new Set(PLATFORMS.flatMap(({ dialect }) => membersOf(dialect)));
    const schema = z.toJSONSchema(dialectSchema, { io: 'input' });

    expect(
      membersOf(schema, ({ properties }) => properties).filter((member) => !needed.has(member)),
    ).toEqual([]);
  });
});

/**
 * Returns the paths of an object's innermost members.
 *
 * @param open returns the members of an object.
 */
function membersOf(
  value: unknown,
  open = (object: Members): unknown => object,
  path = '',
): string[] {
  const members = isObject(value) ? open(value) : undefined;
  if (!isObject(members)) return [path];
  return Object.entries(members).flatMap(([name, member]) =>
    membersOf(member, open, path === '' ? name : `${path}.${name}`),
  );
}

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads the file of `UPSTREAM_DIALECT`. */
function readDialectOf({ UPSTREAM_DIALECT: file }: Readonly<Record<string, string>>) {
  const {
    token = {},
    form = {},
    adapter,
  } = file === undefined ? {} : JSON.parse(readFileSync(file, 'utf8'));
  return { token, adapter, assumedOffset: form.assumedOffset };
}

/** Checks the body of the only write, if the platform describes it. */
function expectWritten(
  calls: readonly { readonly method: string; readonly body: string }[],
  method: string,
  body: unknown,
) {
  const writes = calls.filter((call) => call.method === method);
  expect(writes).toHaveLength(1);
  if (body !== undefined) expect(JSON.parse(writes[0]?.body ?? '')).toEqual(body);
}
