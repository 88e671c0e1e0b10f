import { describe, expect, it } from 'vitest';

import { shareGateway, startCountedGateway } from '../support/gateway.ts';

const gateway = shareGateway();
const read = (query: string, variables = {}) => gateway.dataOf(query, variables);

describe('Query.form', () => {
  it('returns a definition with its fields, links and the whole record', async () => {
    const { form } = await read(`{ form(formId: "supplier") {
      formId name description version definition links { rel href method }
      fields { name label type required options { value label enumValue } reference { formId typeName } }
    } }`);

    expect(form).toMatchObject({
      formId: 'supplier',
      name: 'Supplier',
      definition: { idForm: 'supplier' },
    });
    expect(form.fields).toContainEqual(
      expect.objectContaining({ name: 'country', type: 'choice', required: true }),
    );
    expect(form.links).toContainEqual({
      rel: 'self',
      href: '/v1.0/forms/supplier',
      method: 'GET',
    });
  });

  it('reads several forms by one list call, and is null for an unknown one after another call', async () => {
    const { dataOf, calls } = await startCountedGateway();

    const data = await dataOf(`{
      a: form(formId: "supplier") { name fields { name } } b: form(formId: "employee") { name } c: form(formId: "nowhere") { name }
    }`);

    expect(data).toMatchObject({ a: { name: 'Supplier' }, b: { name: 'Employee' }, c: null });
    // The second call proves that the platform has read the last id.
    expect(calls).toEqual(['getToken', 'getForms', 'getForms']);
  });
});

it('an unknown form and an unknown instance are null', async () => {
  expect(await read('{ form(formId: "nowhere") { name } }')).toEqual({ form: null });
  expect(await read('{ instance(formId: "supplier", instanceId: 999999) { values } }')).toEqual({
    instance: null,
  });
});

describe('Query.forms', () => {
  it('returns a page with its total', async () => {
    const { forms } =
      await read(`{ forms(first: 2, orderBy: [{ field: "idForm", direction: DESC }]) {
      totalCount nodes { formId } edges { cursor node { formId } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    } }`);

    const nodes = [{ formId: 'supplier' }, { formId: 'purchase-request' }];
    const cursors = [expect.any(String), expect.any(String)];
    expect(forms).toEqual({
      totalCount: 4,
      nodes,
      edges: nodes.map((node, at) => ({ node, cursor: cursors[at] })),
      pageInfo: {
        hasNextPage: true,
        hasPreviousPage: false,
        startCursor: forms.edges[0].cursor,
        endCursor: forms.edges[1].cursor,
      },
    });
  });

  it.each([
    'operator: LIKE, value: "%request%"',
    'operator: CONTAINS, value: "request"',
    'operator: STARTS_WITH, value: "purchase"',
  ])('searches by every field that the platform can search: %s', async (criterion) => {
    expect(
      await read(`{ forms(where: [{ field: "name", ${criterion} }]) { nodes { formId } } }`),
    ).toEqual({ forms: { nodes: [{ formId: 'purchase-request' }] } });
  });
});

it('Query.node finds a form and an instance by global id', async () => {
  const { form } = await read('{ form(formId: "employee") { id instance(instanceId: 1) { id } } }');

  const data = await read(
    `query ($form: ID!, $instance: ID!) {
      form: node(id: $form) { __typename id ... on Form { formId } }
      instance: node(id: $instance) { __typename id ... on Instance { formId instanceId } }
    }`,
    { form: form.id, instance: form.instance.id },
  );

  const formId = 'employee';
  expect(data).toEqual({
    form: { __typename: 'Form', id: form.id, formId },
    instance: { __typename: 'GenericInstance', id: form.instance.id, formId, instanceId: '1' },
  });
});

describe('Query.instances', () => {
  it('filters by several criteria and sorts by several keys', async () => {
    const { instances } = await read(`{ instances(formId: "purchase-request", first: 100,
      where: [{ field: "amount", operator: GE, value: 1000 }, { field: "status", operator: IN, value: ["approved", "submitted"] }],
      orderBy: [{ field: "status" }, { field: "amount", direction: DESC }]
    ) { nodes { status: value(field: "status") amount: value(field: "amount") } } }`);

    const rows: { status: string; amount: number }[] = instances.nodes;
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['approved', 'submitted']));
    expect(rows).toEqual(
      rows.toSorted((a, b) => a.status.localeCompare(b.status) || b.amount - a.amount),
    );
    expect(Math.min(...rows.map(({ amount }) => amount))).toBeGreaterThanOrEqual(1000);
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
    const { instances } =
      await read(`{ instances(formId: "purchase-request", orderBy: [{ field: "idInstance" }], ${args}) {
      totalCount nodes { instanceId } pageInfo { hasNextPage hasPreviousPage }
    } }`);

    const nodes = Array.from({ length: last - first + 1 }, (_, index) => ({
      instanceId: String(first + index),
    }));
    expect(instances).toEqual({ totalCount: 60, nodes, pageInfo });
  });
});

it('the same list twice in one operation costs one call, and its rows are not read again one by one', async () => {
  const { dataOf, calls } = await startCountedGateway();
  const list = 'instances(formId: "purchase-request", first: 1)';

  await dataOf(
    `{ a: ${list} { nodes { instanceId reference(field: "supplier") { instanceId } } } b: ${list} { totalCount } }`,
  );

  expect(calls).toEqual(['getToken', 'getFormIntances', 'getForm', 'getFormIntance']);
});

describe('Instance', () => {
  it('returns values, a single value, references, links and capabilities', async () => {
    const { instance } = await read(`{ instance(formId: "purchase-request", instanceId: "1") {
      __typename formId instanceId values title: value(field: "title") none: value(field: "nothing")
      form { name } links { rel method } can { replace update delete }
      reference(field: "requester") { formId name: value(field: "name") reference(field: "manager") { instanceId } }
    } }`);

    expect(instance).toMatchObject({
      __typename: 'GenericInstance',
      values: { title: instance.title },
      none: null,
      form: { name: 'Purchase request' },
      can: { replace: true, update: true, delete: true },
      reference: { formId: 'employee', name: expect.any(String) },
    });
    expect(instance.links).toContainEqual({ rel: 'self', method: 'PATCH' });
  });

  it('reports what its user may not do', async () => {
    const reader = { UPSTREAM_USERNAME: 'reader', UPSTREAM_PASSWORD: 'reader' };
    const { dataOf } = await startCountedGateway(reader);

    const { instance } = await dataOf(
      '{ instance(formId: "supplier", instanceId: 1) { can { replace update delete } } }',
    );

    expect(instance.can).toEqual({ replace: false, update: false, delete: false });
  });

  it('rejects `reference` for a field that is not a reference', async () => {
    const { errors } = await gateway.execute(
      '{ instance(formId: "supplier", instanceId: 1) { reference(field: "country") { id } } }',
    );

    expect(errors).toMatchObject([
      { path: ['instance', 'reference'], extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });
});

it('a rule lists its parameters', async () => {
  const { rule } = await read(
    '{ rule(component: "discount-rate-eu", version: "2.1") { component version descriptiveName parameters { name type value } } }',
  );

  expect(rule).toMatchObject({
    component: 'discount-rate-eu',
    version: '2.1',
    descriptiveName: expect.any(String),
  });
  expect(rule.parameters.length).toBeGreaterThan(0);
});
