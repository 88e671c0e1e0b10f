import { describe, expect, it } from 'vitest';

import { shareGateway, startCountedGateway } from '../support/gateway.ts';

const gateway = shareGateway();
const execute = (query: string, variables = {}) => gateway.execute(query, variables);

describe('Query.form', () => {
  it('returns a definition with its fields, links and the whole record', async () => {
    const { data, errors } = await execute(`{ form(formId: "supplier") {
      formId name description version definition links { rel href method }
      fields { name label type required options { value label enumValue } reference { formId typeName } }
    } }`);

    expect(errors).toBeUndefined();
    expect(data.form).toMatchObject({
      formId: 'supplier',
      name: 'Supplier',
      definition: { idForm: 'supplier' },
    });
    expect(data.form.fields).toContainEqual(
      expect.objectContaining({ name: 'country', type: 'choice', required: true }),
    );
    expect(data.form.links).toContainEqual({
      rel: 'self',
      href: '/v1.0/forms/supplier',
      method: 'GET',
    });
  });

  it('is null for an unknown form', async () => {
    expect(await execute('{ form(formId: "nowhere") { name } }')).toEqual({
      status: 200,
      data: { form: null },
    });
  });

  it('reads several forms by one list call, and is null for an unknown one', async () => {
    const { dataOf, calls } = await startCountedGateway();

    const data = await dataOf(`{
      a: form(formId: "supplier") { name fields { name } } b: form(formId: "employee") { name } c: form(formId: "nowhere") { name }
    }`);

    expect(data).toMatchObject({ a: { name: 'Supplier' }, b: { name: 'Employee' }, c: null });
    expect(calls).toEqual(['getToken', 'getForms']);
  });
});

describe('Query.forms', () => {
  it('returns a page with its total', async () => {
    const { data } =
      await execute(`{ forms(first: 2, orderBy: [{ field: "idForm", direction: DESC }]) {
      totalCount nodes { formId } edges { cursor node { formId } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    } }`);

    const { nodes, edges, pageInfo, totalCount } = data.forms;
    expect(nodes).toEqual([{ formId: 'supplier' }, { formId: 'purchase-request' }]);
    expect(totalCount).toBe(4);
    expect(pageInfo).toEqual({
      hasNextPage: true,
      hasPreviousPage: false,
      startCursor: edges[0].cursor,
      endCursor: edges[1].cursor,
    });
  });

  it.each([
    'operator: LIKE, value: "%request%"',
    'operator: CONTAINS, value: "request"',
    'operator: STARTS_WITH, value: "purchase"',
  ])('searches by every field that the platform can search: %s', async (criterion) => {
    const { data } = await execute(
      `{ forms(where: [{ field: "name", ${criterion} }]) { nodes { formId } } }`,
    );

    expect(data.forms.nodes).toEqual([{ formId: 'purchase-request' }]);
  });
});

it('Query.node finds a form and an instance by global id', async () => {
  const { data: known } = await execute(
    '{ form(formId: "employee") { id instance(instanceId: 1) { id } } }',
  );
  const ids = { form: known.form.id, instance: known.form.instance.id };

  const { data } = await execute(
    `query ($form: ID!, $instance: ID!) {
        form: node(id: $form) { __typename id ... on Form { formId } }
        instance: node(id: $instance) { __typename id ... on Instance { formId instanceId } }
      }`,
    ids,
  );

  expect(data).toEqual({
    form: { __typename: 'Form', id: ids.form, formId: 'employee' },
    instance: {
      __typename: 'GenericInstance',
      id: ids.instance,
      formId: 'employee',
      instanceId: '1',
    },
  });
});

describe('Query.instances', () => {
  it('filters by several criteria and sorts by several keys', async () => {
    const { data, errors } = await execute(`{ instances(formId: "purchase-request", first: 100,
      where: [{ field: "amount", operator: GE, value: 1000 }, { field: "status", operator: IN, value: ["approved", "submitted"] }],
      orderBy: [{ field: "status" }, { field: "amount", direction: DESC }]
    ) { nodes { status: value(field: "status") amount: value(field: "amount") } } }`);

    expect(errors).toBeUndefined();
    const rows: { status: string; amount: number }[] = data.instances.nodes;
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['approved', 'submitted']));
    expect(rows).toEqual(
      rows.toSorted((a, b) => a.status.localeCompare(b.status) || b.amount - a.amount),
    );
    expect(rows.every(({ amount }) => amount >= 1000)).toBe(true);
  });

  it.each([
    ['20 items by default', '', 1, 20, { hasNextPage: true, hasPreviousPage: false }],
    [
      'a page by its number',
      'first: 25, page: 3',
      51,
      60,
      { hasNextPage: false, hasPreviousPage: true },
    ],
  ])('has %s', async (_what, args, first, last, pageInfo) => {
    const { data } =
      await execute(`{ instances(formId: "purchase-request", orderBy: [{ field: "idInstance" }], ${args}) {
      totalCount nodes { instanceId } pageInfo { hasNextPage hasPreviousPage }
    } }`);

    const ids = Array.from({ length: last - first + 1 }, (_, index) => ({
      instanceId: String(first + index),
    }));
    expect(data.instances).toEqual({ totalCount: 60, nodes: ids, pageInfo });
  });
});

it('the same list twice in one operation costs one call, and its rows are not read again one by one', async () => {
  const { execute, calls } = await startCountedGateway();
  const list = 'instances(formId: "purchase-request", first: 1)';

  await execute(
    `{ a: ${list} { nodes { instanceId reference(field: "supplier") { instanceId } } } b: ${list} { totalCount } }`,
  );

  expect(calls).toEqual(['getToken', 'getFormIntances', 'getForm', 'getFormIntance']);
});

describe('Instance', () => {
  it('is null where nothing exists', async () => {
    const answer = await execute('{ instance(formId: "supplier", instanceId: 999999) { values } }');

    expect(answer).toEqual({ status: 200, data: { instance: null } });
  });

  it('returns values, a single value, references, links and capabilities', async () => {
    const { data, errors } =
      await execute(`{ instance(formId: "purchase-request", instanceId: "1") {
      __typename formId instanceId values title: value(field: "title") none: value(field: "nothing")
      form { name } links { rel method } can { replace update delete }
      reference(field: "requester") { formId name: value(field: "name") reference(field: "manager") { instanceId } }
    } }`);

    expect(errors).toBeUndefined();
    expect(data.instance).toMatchObject({
      __typename: 'GenericInstance',
      values: { title: data.instance.title },
      none: null,
      form: { name: 'Purchase request' },
      can: { replace: true, update: true, delete: true },
      reference: { formId: 'employee', name: expect.any(String) },
    });
    expect(data.instance.links).toContainEqual({ rel: 'self', method: 'PATCH' });
  });

  it('reports what its user may not do', async () => {
    const { execute } = await startCountedGateway({
      UPSTREAM_USERNAME: 'reader',
      UPSTREAM_PASSWORD: 'reader',
    });

    const { data } = await execute(
      '{ instance(formId: "supplier", instanceId: 1) { can { replace update delete } } }',
    );

    expect(data.instance.can).toEqual({ replace: false, update: false, delete: false });
  });

  it('rejects `reference` for a field that is not a reference', async () => {
    const { errors } = await execute(
      '{ instance(formId: "supplier", instanceId: 1) { reference(field: "country") { id } } }',
    );

    expect(errors).toMatchObject([
      { path: ['instance', 'reference'], extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });
});

it('a rule lists its parameters', async () => {
  const { data } = await execute(
    '{ rule(component: "discount-rate-eu", version: "2.1") { component version descriptiveName parameters { name type value } } }',
  );

  expect(data.rule).toMatchObject({
    component: 'discount-rate-eu',
    version: '2.1',
    descriptiveName: expect.any(String),
  });
  expect(data.rule.parameters.length).toBeGreaterThan(0);
});
