import { describe, expect, it } from 'vitest';

import { ChangingList, type Paging, startChangingPlatform } from '../support/changing-platform.ts';
import { type Env, startCountedGateway, startGateway } from '../support/gateway.ts';
import { planOf } from '../support/plan.ts';
import { writeDialect } from '../support/write-dialect.ts';

const QUERY = `query ($first: Int!, $after: String, $orderBy: [OrderInput!], $where: [CriterionInput!]) {
  instances(formId: "a", first: $first, after: $after, orderBy: $orderBy, where: $where) {
    totalCount nodes { instanceId } pageInfo { hasNextPage endCursor }
  }
}`;

/** Starts a gateway in front of a platform with a list of this length, which the test changes. */
async function start(size: number, paging: Partial<Paging> = {}, env: Env = {}) {
  const platform = await startChangingPlatform({ tells: 'totals', longestPage: 100, ...paging });
  const rows = new ChangingList(size);
  platform.held.list = rows;
  const gateway = await startGateway({ ...platform.env, LOG_LEVEL: 'warn', ...env });
  const read = async (variables: object) => {
    const { nodes, pageInfo, totalCount } = (await gateway.dataOf(QUERY, variables)).instances;
    const ids: number[] = nodes.map(({ instanceId }: { instanceId: string }) => Number(instanceId));
    return { ...pageInfo, totalCount, ids };
  };
  /** Reads pages of two rows until the end, and returns their ids. */
  const readAll = async () => {
    const ids = [];
    for (let after: string | null = null, isMore = true; isMore; ) {
      const page = await read({ first: 2, after });
      ids.push(...page.ids);
      after = page.endCursor;
      isMore = page.hasNextPage;
    }
    return ids;
  };
  const calls = () =>
    platform.seen.splice(0).map(({ url }) => {
      const { searchParams } = new URL(url, 'http://platform');
      return ['search', 'sort', 'page-number', 'per-page']
        .map((name) => searchParams.get(name) ?? '')
        .join(' ');
    });
  const warnings = () => gateway.logged().filter(({ msg }) => /differs from the dialect/.test(msg));
  return { ...gateway, rows, read, readAll, calls, warnings };
}

/** A dialect with the findings of the doctor. */
const examined = (content: object = {}) => ({
  UPSTREAM_DIALECT: writeDialect({ list: { isPagedById: true }, ...content }),
});

const numbers = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, row) => first + row);

const ID = 'idInstance';
const DESCENDING = { orderBy: [{ field: ID, direction: 'DESC' }] };
const WARNING = { list: 'a', msg: expect.stringMatching(/list\.isPagedById/) };

describe('a list in the order of ids', () => {
  it.each([
    ['without orderBy', {}],
    ['by ids', { orderBy: [{ field: ID }] }],
    ['by ids, and by more that says nothing more', { orderBy: [{ field: ID }, { field: 'rank' }] }],
  ])('has the page after a row in one call: %s', async (_what, order) => {
    const { read, calls } = await start(250, {}, examined());
    const { endCursor } = await read({ first: 100, ...order });

    const page = await read({ first: 100, after: endCursor, ...order });

    expect(page).toMatchObject({ ids: numbers(101, 200), totalCount: 250, hasNextPage: true });
    expect(calls()).toEqual([' +idInstance 1 100', 'idInstance=gt:100 +idInstance 1 100']);
  });

  it('has it downwards, and beside conditions', async () => {
    const { rows, read, calls } = await start(60, {}, examined());
    for (const row of rows.rows) row.note = row.id % 2;
    const args = { first: 10, where: [{ field: 'note', value: 1 }], ...DESCENDING };
    const { endCursor } = await read(args);

    const { ids, totalCount } = await read({ ...args, after: endCursor });

    expect(ids).toEqual([39, 37, 35, 33, 31, 29, 27, 25, 23, 21]);
    expect(totalCount).toBe(30);
    expect(calls()[1]).toBe('note=eq:1,idInstance=lt:41 -idInstance 1 10');
  });

  it('goes on after the last row, whatever became of it and of others', async () => {
    const { rows, read } = await start(100);
    const { endCursor } = await read({ first: 20 });
    for (const id of [3, 17, 18, 19, 20, 21]) rows.delete(id);
    for (const at of [0, 5]) rows.insert(at, 0);
    rows.insert(7, 0, 3);

    const { ids, totalCount } = await read({ first: 20, after: endCursor });

    expect(ids).toEqual(numbers(22, 41));
    // The twenty that were passed, and what follows.
    expect(totalCount).toBe(20 + 79 + 2);
  });

  it.each([
    ['of which the platform states no total', 'nothing', () => {}],
    ['that has changed ahead', 'totals', (rows: ChangingList) => rows.delete(90)],
  ] as const)(
    'shows once in a process, by two rows of each end, that it follows ids: one %s',
    async (_what, tells, change) => {
      const { rows, read, calls } = await start(100, { tells });
      const { endCursor } = await read({ first: 20 });
      change(rows);
      const second = await read({ first: 20, after: endCursor });
      rows.delete(4);
      const third = await read({ first: 20, after: second.endCursor });

      expect([...second.ids, ...third.ids]).toEqual(numbers(21, 60));
      // Totals that do not agree may show that pages are counted from 0.
      const first = tells === 'totals' ? [' +idInstance  2', ' +idInstance 1 2'] : [];
      expect(calls()).toEqual([
        ' +idInstance 1 20',
        'idInstance=gt:20 +idInstance 1 20',
        ...first,
        ' +idInstance 1 2',
        ' -idInstance 1 2',
        'idInstance=gt:40 +idInstance 1 20',
      ]);
    },
  );

  it.each([
    [{ maxPageSize: 80, isPagedById: true }, [1, 1, 2]],
    [{ maxPageSize: 80 }, [3, 3, 4]],
  ])(
    'costs one call by the plan, two if the page is larger than the platform’s, and two more unless the dialect has isPagedById: %j',
    async (list, costs) => {
      const { read, url } = await start(400, {}, { UPSTREAM_DIALECT: writeDialect({ list }) });
      const { endCursor: after } = await read({ first: 30 });

      const planned = [];
      for (const first of [20, 80, 100])
        planned.push((await planOf(url, QUERY, { first, after }))?.calls.most);

      expect(planned).toEqual(costs);
    },
  );
});

describe('a list that does not follow ids', () => {
  it.each([
    ['its own order', (rows: ChangingList) => rows.rows.toReversed()],
    ['rows in front of the one asked for', (rows: ChangingList) => rows.rows],
    [
      'nearly the order of ids',
      ({ rows }: ChangingList) => [...rows.filter(({ id }) => id !== 3), ...rows.slice(2, 3)],
    ],
  ])(
    'is read by position, with one warning, where the platform gives %s',
    async (_what, select) => {
      const { rows, read, readAll, calls, warnings } = await start(40);
      rows.select = () => select(rows);

      expect(await readAll()).toEqual(select(rows).map(({ id }) => id));
      expect(warnings()).toMatchObject([WARNING]);
      calls();
      await read({ first: 10 });
      expect(calls()).toHaveLength(1);
    },
  );

  it('is read to its end where its first pages follow ids by chance', async () => {
    const ids = [1, 2, 3, 9, 5, 6, 7, 8];
    const { rows, readAll } = await start(0, { tells: 'nothing', sort: 'ignores' });
    for (const id of ids) rows.insert(rows.rows.length, 0, id);

    expect(await readAll()).toEqual(ids);
  });

  it.each([
    ['the criterion', /gt:/, [' +idInstance 1 10', ' +idInstance 2 10']],
    ['the order', /idInstance/, ['  1 10', '  2 10']],
  ])('fails for no client where the platform refuses %s', async (_what, refused, later) => {
    const { rows, read, execute, calls, warnings } = await start(40);
    const select = rows.select.bind(rows);
    rows.select = (search, sort) => {
      if (refused.test(`${search} ${sort}`)) throw new Error('refused');
      return select(search, sort);
    };
    const readTwo = async () => {
      const { ids, endCursor } = await read({ first: 10 });
      return [...ids, ...(await read({ first: 10, after: endCursor })).ids];
    };

    expect(await readTwo()).toEqual(numbers(1, 20));
    calls();
    expect(await readTwo()).toEqual(numbers(1, 20));

    expect(calls()).toEqual(later);
    expect(warnings()).toMatchObject([WARNING]);
    const { errors } = await execute(QUERY, { first: 1, where: [{ field: 'unknown', value: 1 }] });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});

describe('a list of another kind', () => {
  it.each([
    ['in another order', {}, { orderBy: [{ field: 'rank' }] }, ' +rank 2 20'],
    [
      'with a condition on the id',
      {},
      { where: [{ field: ID, operator: 'GT', value: 5 }] },
      'idInstance=gt:5 +idInstance 2 20',
    ],
    ['that is not paged by id', { list: { isPagedById: false } }, {}, '  2 20'],
    ['without GT', { search: { operators: { GT: null } } }, {}, '  2 20'],
    [
      'without LT, downwards',
      { search: { operators: { LT: null } } },
      DESCENDING,
      ' -idInstance 2 20',
    ],
  ])('goes on by its position: %s', async (_what, dialect, args, second) => {
    const { read, calls } = await start(60, {}, examined(dialect));
    const { endCursor } = await read({ first: 20, ...args });

    expect((await read({ first: 20, after: endCursor, ...args })).ids).toHaveLength(20);
    expect(calls()[1]).toBe(second);
  });

  it('goes on after the id upwards where the platform has no LT', async () => {
    const { read, calls } = await start(60, {}, examined({ search: { operators: { LT: null } } }));
    const { endCursor } = await read({ first: 20 });
    await read({ first: 20, after: endCursor });

    expect(calls()[1]).toBe('idInstance=gt:20 +idInstance 1 20');
  });

  it('may have a condition on the id, and still comes in the order of ids', async () => {
    const { rows, read, calls } = await start(30);
    rows.rows.reverse();
    const where = [{ field: ID, operator: 'LT', value: 4 }];

    expect((await read({ first: 20, where })).ids).toEqual([1, 2, 3]);
    expect(calls()).toEqual(['idInstance=lt:4 +idInstance 1 20']);
  });

  it('is read without an order if the platform ignores orders', async () => {
    const UPSTREAM_DIALECT = writeDialect({ list: { isSorted: false } });
    const { dataOf, calls } = await start(60, {}, { UPSTREAM_DIALECT });

    await dataOf('{ instances(formId: "a", first: 20) { nodes { id } } }');

    expect(calls()).toEqual(['  1 20']);
  });
});

describe('a cursor', () => {
  it('that a client has forged beyond the end of all lists is refused where rows are counted', async () => {
    const { execute } = await start(100);
    const after = Buffer.from('at:2147483646:7:100').toString('base64url');

    const { data, errors } = await execute(QUERY, { first: 2, after });

    expect(data.instances.nodes).toEqual([{ instanceId: '8' }, { instanceId: '9' }]);
    expect(errors).toMatchObject([
      { path: ['instances', 'totalCount'], extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });

  it('may be a position alone, as in earlier versions', async () => {
    const { read, calls } = await start(100);

    const { ids } = await read({ first: 20, after: Buffer.from('at:19').toString('base64url') });

    expect(ids).toEqual(numbers(21, 40));
    expect(calls()).toEqual([' +idInstance 2 20']);
  });

  it('names the same row in the generic and in the typed graph, and in a list of what refers to one instance', async () => {
    const { dataOf } = await startCountedGateway({ TYPED_FORMS: '*' });
    const page = (field: string, args: string) =>
      dataOf(`{ ${field.replace('ARGS', args)} }`.replace('PAGE', PAGE));
    const PAGE = '{ nodes { id } pageInfo { endCursor hasNextPage } }';
    const BACK = 'supplier(instanceId: "1") { purchaseRequests(first: 1 ARGS) PAGE }';

    const { purchaseRequests } = await page('purchaseRequests(ARGS) PAGE', 'first: 2');
    const after = `first: 2, after: "${purchaseRequests.pageInfo.endCursor}"`;
    const typed = await page('list: purchaseRequests(ARGS) PAGE', after);
    const generic = await page('list: instances(formId: "purchase-request", ARGS) PAGE', after);
    const first = (await page(BACK, '')).supplier.purchaseRequests;
    const second = (await page(BACK, `after: "${first.pageInfo.endCursor}"`)).supplier
      .purchaseRequests;

    expect(generic).toEqual(typed);
    expect(first.pageInfo.hasNextPage).toBe(true);
    expect(second.nodes).toHaveLength(1);
    expect(second.nodes).not.toEqual(first.nodes);
  });
});
