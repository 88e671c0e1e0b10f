import { beforeAll, describe, expect, it } from 'vitest';

import { startCountedGateway } from '../support/gateway.ts';

let execute: Awaited<ReturnType<typeof startCountedGateway>>['execute'];
beforeAll(async () => {
  ({ execute } = await startCountedGateway());
});

describe('Query.form', () => {
  it('returns a definition with its fields, links and the whole record', async () => {
    const { data, errors } = await execute(`{ form(formId: "supplier") {
      formId name description version definition links { rel href method }
      fields { name label type required options reference }
    } }`);

    expect(errors).toBeUndefined();
    expect(data.form).toMatchObject({ formId: 'supplier', name: 'Supplier', definition: { idForm: 'supplier' } });
    expect(data.form.fields).toContainEqual(
      expect.objectContaining({ name: 'country', type: 'choice', required: true }),
    );
    expect(data.form.links).toContainEqual({ rel: 'self', href: '/v1.0/forms/supplier', method: 'GET' });
  });

  it('is null for an unknown form', async () => {
    expect(await execute('{ form(formId: "nowhere") { name } }')).toEqual({ status: 200, data: { form: null } });
  });

  it('reads several forms by one list call', async () => {
    const { execute, calls } = await startCountedGateway();

    const { data } = await execute(`{
      a: form(formId: "supplier") { name fields { name } } b: form(formId: "employee") { name } c: form(formId: "nowhere") { name }
    }`);

    expect(data).toMatchObject({ a: { name: 'Supplier' }, b: { name: 'Employee' }, c: null });
    expect(calls).toEqual(['getToken', 'getForms']);
  });
});

describe('Query.forms', () => {
  it('returns a page with its total', async () => {
    const { data } = await execute(`{ forms(first: 2, orderBy: [{ field: "idForm", direction: DESC }]) {
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

  it('searches by every field that the platform can search', async () => {
    const search = (criterion: string) =>
      execute(`{ forms(where: [{ field: "name", ${criterion} }]) { nodes { formId } } }`);

    const found = [
      await search('operator: LIKE, value: "%request%"'),
      await search('operator: CONTAINS, value: "request"'),
      await search('operator: STARTS_WITH, value: "purchase"'),
    ];

    const nodes = [{ formId: 'purchase-request' }];
    expect(found.map(({ data }) => data.forms)).toEqual([{ nodes }, { nodes }, { nodes }]);
  });
});

describe('Query.node', () => {
  it('finds a form and an instance by global id', async () => {
    const { execute } = await startCountedGateway();
    const { data: known } = await execute('{ form(formId: "employee") { id instance(instanceId: 1) { id } } }');
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
      instance: { __typename: 'GenericInstance', id: ids.instance, formId: 'employee', instanceId: '1' },
    });
  });

  it.each(['', 'x', 'WyJGb3JtIl0', 'bm90aGluZw=='])('rejects %j, which is no global id, without a call', async (id) => {
    const { execute, calls } = await startCountedGateway();

    const { errors } = await execute('query ($id: ID!) { node(id: $id) { id } }', { id });

    expect(errors).toMatchObject([{ path: ['node'], extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(calls).toEqual([]);
  });
});
