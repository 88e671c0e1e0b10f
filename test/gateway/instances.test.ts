import { beforeAll, describe, expect, it } from 'vitest';

import { startCountedGateway } from '../support/gateway.ts';

let execute: Awaited<ReturnType<typeof startCountedGateway>>['execute'];
beforeAll(async () => {
  ({ execute } = await startCountedGateway());
});

const TITLES = `query ($first: Int, $after: String, $page: Int) {
  instances(formId: "purchase-request", first: $first, after: $after, page: $page, orderBy: [{ field: "idInstance" }]) {
    totalCount nodes { instanceId } pageInfo { hasNextPage hasPreviousPage endCursor }
  }
}`;

const idsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ instanceId: String(first + index) }));

describe('Query.instances', () => {
  it('filters by several criteria and sorts by several keys', async () => {
    const { data, errors } = await execute(`{ instances(formId: "purchase-request", first: 100,
      where: [{ field: "amount", operator: GE, value: 1000 }, { field: "status", operator: IN, value: ["approved", "submitted"] }],
      orderBy: [{ field: "status" }, { field: "amount", direction: DESC }]
    ) { nodes { status: value(field: "status") amount: value(field: "amount") } } }`);

    expect(errors).toBeUndefined();
    const rows: { status: string; amount: number }[] = data.instances.nodes;
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['approved', 'submitted']));
    expect(rows).toEqual(rows.toSorted((a, b) => a.status.localeCompare(b.status) || b.amount - a.amount));
    expect(rows.every(({ amount }) => amount >= 1000)).toBe(true);
  });

  it('returns a page by its number', async () => {
    const { data } = await execute(TITLES, { first: 25, page: 3 });

    expect(data.instances.nodes).toEqual(idsFrom(51, 10));
    expect(data.instances.totalCount).toBe(60);
    expect(data.instances.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  });

  it('has 20 items by default, and 100 at most', async () => {
    const { execute, calls } = await startCountedGateway();

    const { data } = await execute(TITLES);
    const { errors } = await execute(TITLES, { first: 101 });

    expect(data.instances.nodes).toEqual(idsFrom(1, 20));
    expect(errors).toMatchObject([
      { message: 'first must be from 1 to 100, got 101.', extensions: { code: 'BAD_USER_INPUT' } },
    ]);
    expect(calls).toEqual(['getToken', 'getFormIntances']);
  });
});

describe('Instance', () => {
  it('returns values, a single value, references, links and capabilities', async () => {
    const { data, errors } = await execute(`{ instance(formId: "purchase-request", instanceId: "1") {
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
    const { execute } = await startCountedGateway({ UPSTREAM_USERNAME: 'reader', UPSTREAM_PASSWORD: 'reader' });

    const { data } = await execute('{ instance(formId: "supplier", instanceId: 1) { can { replace update delete } } }');

    expect(data.instance.can).toEqual({ replace: false, update: false, delete: false });
  });

  it('is null when the form has no such instance', async () => {
    expect((await execute('{ instance(formId: "supplier", instanceId: 999) { values } }')).data).toEqual({
      instance: null,
    });
  });

  it('rejects `reference` for a field that is not a reference', async () => {
    const { errors } = await execute(
      '{ instance(formId: "supplier", instanceId: 1) { reference(field: "country") { id } } }',
    );

    expect(errors).toMatchObject([{ path: ['instance', 'reference'], extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});
