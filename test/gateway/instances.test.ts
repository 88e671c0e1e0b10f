import { describe, expect, it } from 'vitest';

import { type GraphqlAnswer, startCountedGateway } from '../support/gateway.ts';

const TITLES = `query ($first: Int, $after: String, $page: Int) {
  instances(formId: "purchase-request", first: $first, after: $after, page: $page, orderBy: [{ field: "idInstance" }]) {
    totalCount nodes { instanceId } pageInfo { hasNextPage hasPreviousPage endCursor }
  }
}`;

const idsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ instanceId: String(first + index) }));

describe('Query.instances', () => {
  it('filters by several criteria and sorts by several keys', async () => {
    const { execute } = await startCountedGateway();

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

  it('pages through a whole list by cursors, one call per page', async () => {
    const { execute, calls } = await startCountedGateway();
    const seen: { instanceId: string }[] = [];

    for (let after: string | null = null, isMore = true; isMore; ) {
      const { data }: GraphqlAnswer = await execute(TITLES, { first: 7, after });
      seen.push(...data.instances.nodes);
      after = data.instances.pageInfo.endCursor;
      isMore = data.instances.pageInfo.hasNextPage;
    }

    expect(seen).toEqual(idsFrom(1, 60));
    expect(calls.filter((call) => call === 'getFormIntances')).toHaveLength(Math.ceil(60 / 7));
  });

  it('returns a page by its number', async () => {
    const { execute } = await startCountedGateway();

    const { data } = await execute(TITLES, { first: 25, page: 3 });

    expect(data.instances.nodes).toEqual(idsFrom(51, 10));
    expect(data.instances.totalCount).toBe(60);
    expect(data.instances.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  });

  it('assembles a page whose offset is not a multiple of `first`', async () => {
    const { execute } = await startCountedGateway();
    const { data: head } = await execute(TITLES, { first: 3 });

    const { data } = await execute(TITLES, { first: 10, after: head.instances.pageInfo.endCursor });

    expect(data.instances.nodes).toEqual(idsFrom(4, 10));
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

  it('fails with NOT_FOUND for an unknown form without affecting sibling fields', async () => {
    const { execute } = await startCountedGateway();

    const { data, errors } = await execute(
      '{ instances(formId: "nowhere") { totalCount } form(formId: "supplier") { formId } }',
    );

    expect(data).toEqual({ instances: null, form: { formId: 'supplier' } });
    expect(errors).toMatchObject([
      { path: ['instances'], extensions: { code: 'NOT_FOUND', upstream: { status: 404 } } },
    ]);
  });
});

describe('Instance', () => {
  it('returns values, a single value, references, links and capabilities', async () => {
    const { execute } = await startCountedGateway();

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
    const { execute } = await startCountedGateway();

    expect((await execute('{ instance(formId: "supplier", instanceId: 999) { values } }')).data).toEqual({
      instance: null,
    });
  });

  it('rejects `reference` for a field that is not a reference', async () => {
    const { execute } = await startCountedGateway();

    const { errors } = await execute(
      '{ instance(formId: "supplier", instanceId: 1) { reference(field: "country") { id } } }',
    );

    expect(errors).toMatchObject([{ path: ['instance', 'reference'], extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});
