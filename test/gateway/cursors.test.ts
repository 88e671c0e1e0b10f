import { describe, expect, it, onTestFinished } from 'vitest';
import { ChangingList, type Paging, startChangingPlatform } from '../support/changing-platform.ts';
import { type Env, startCountedGateway, startGateway } from '../support/gateway.ts';
import { planOf } from '../support/plan.ts';
import { writeDialect } from '../support/write-dialect.ts';

const PAGE = 'totalCount nodes { id } pageInfo { hasNextPage endCursor }';
const bare = (position: number) => Buffer.from(`at:${position}`).toString('base64url');

interface Variables {
  readonly first: number;
  readonly after?: string | null;
  readonly page?: number;
  readonly orderBy?: readonly object[];
  readonly where?: readonly object[];
}

/** Starts a gateway in front of a platform with a list of this length, which the test changes. */
async function start(size: number, paging: Partial<Paging> = {}, env: Env = {}) {
  const platform = await startChangingPlatform({ tells: 'totals', longestPage: 100, ...paging });
  const rows = new ChangingList(size);
  platform.held.list = rows;
  const { execute, url, close, logged } = await startGateway({
    ...platform.env,
    LOG_LEVEL: 'warn',
    ...env,
  });
  onTestFinished(close);
  const read = async (variables: Variables) => {
    const answer = await execute(
      `query ($first: Int!, $after: String, $page: Int, $orderBy: [OrderInput!], $where: [CriterionInput!]) {
        instances(formId: "a", first: $first, after: $after, page: $page, orderBy: $orderBy, where: $where) { ${PAGE} }
      }`,
      { ...variables },
    );
    const { nodes, pageInfo, totalCount } = answer.data.instances;
    return {
      ...pageInfo,
      totalCount,
      ids: nodes.map(({ id }: { readonly id: string }) => numberOf(id)),
    };
  };
  const calls = () =>
    platform.seen.splice(0).map(({ url: path }) => {
      const { searchParams } = new URL(path, 'http://platform');
      return ['search', 'sort', 'page-number', 'per-page']
        .map((name) => searchParams.get(name) ?? '')
        .join(' ');
    });
  const warnings = () => logged().filter(({ msg }) => /differs from the dialect/.test(msg));
  return { rows, read, calls, execute, url, warnings };
}

/** A dialect with the findings of the doctor. */
const examined = (content: object = {}) => ({
  UPSTREAM_DIALECT: writeDialect({ list: { isPagedById: true }, ...content }),
});

const numberOf = (id: string) => Number(JSON.parse(Buffer.from(id, 'base64url').toString())[2]);
const numbers = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, row) => first + row);

const ID = 'idInstance';
const DESCENDING = [{ field: ID, direction: 'DESC' }] as const;

describe('a list in the order of ids', () => {
  it.each([
    ['without orderBy', undefined],
    ['by ids', [{ field: ID }]],
    ['by ids, and by more that says nothing more', [{ field: ID }, { field: 'rank' }]],
  ])('has the page after a row in one call: %s', async (_what, orderBy) => {
    const { read, calls } = await start(250, {}, examined());
    const order = orderBy && { orderBy };
    const { endCursor } = await read({ first: 100, ...order });

    const { ids, totalCount, hasNextPage } = await read({ first: 100, after: endCursor, ...order });

    expect(ids).toEqual(numbers(101, 200));
    expect({ totalCount, hasNextPage }).toEqual({ totalCount: 250, hasNextPage: true });
    expect(calls()).toEqual([' +idInstance 1 100', 'idInstance=gt:100 +idInstance 1 100']);
  });

  it('has it downwards, and beside conditions', async () => {
    const { rows, read, calls } = await start(60, {}, examined());
    for (const row of rows.rows) row.note = row.id % 2;
    const args = { first: 10, orderBy: DESCENDING, where: [{ field: 'note', value: 1 }] };
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

  it('costs one call by the plan, two if the page is larger than the platform’s, and two more unless the dialect has isPagedById', async () => {
    const costsWith = async (list: object) => {
      const { read, url } = await start(400, {}, { UPSTREAM_DIALECT: writeDialect({ list }) });
      const { endCursor } = await read({ first: 30 });
      const query = (first: number) =>
        `{ instances(formId: "a", first: ${first}, after: "${endCursor}") { nodes { id } } }`;
      const plans = [
        await planOf(url, query(20)),
        await planOf(url, query(80)),
        await planOf(url, query(100)),
      ];
      return plans.map((plan) => plan?.calls.most);
    };

    expect(await costsWith({ maxPageSize: 80, isPagedById: true })).toEqual([1, 1, 2]);
    expect(await costsWith({ maxPageSize: 80 })).toEqual([3, 3, 4]);
  });
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
      const { rows, read, execute, calls, warnings } = await start(40);
      rows.select = () => select(rows);
      const pages = [await read({ first: 2 })];
      for (let { endCursor } = pages[0]; endCursor; ) {
        const page = await read({ first: 2, after: endCursor });
        pages.push(page);
        endCursor = page.hasNextPage ? page.endCursor : null;
      }

      expect(pages.flatMap(({ ids }) => ids)).toEqual(select(rows).map(({ id }) => id));
      expect(warnings()).toMatchObject([
        { list: 'a', msg: expect.stringMatching(/list\.isPagedById/) },
      ]);
      calls();

      const { errors } = await execute('{ instances(formId: "a", first: 10) { nodes { id } } }');
      expect(errors).toBeUndefined();
      expect(calls()).toHaveLength(1);
    },
  );

  it('is read to its end where its first pages follow ids by chance', async () => {
    const ids = [1, 2, 3, 9, 5, 6, 7, 8];
    const { rows, read } = await start(0, { tells: 'nothing', sort: 'ignores' });
    for (const id of ids) rows.insert(rows.rows.length, 0, id);
    const seen: number[] = [];
    for (let after: string | null = null, isMore = true; isMore; ) {
      const page = await read({ first: 2, after });
      seen.push(...page.ids);
      after = page.endCursor;
      isMore = page.hasNextPage;
    }

    expect(seen).toEqual(ids);
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
    expect(warnings()).toMatchObject([
      { list: 'a', msg: expect.stringMatching(/list\.isPagedById/) },
    ]);
    const { errors } = await execute(
      '{ instances(formId: "a", where: [{ field: "unknown", value: 1 }]) { nodes { id } } }',
    );
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});

describe('a list of another kind', () => {
  const dialect = (content: object) => ({ UPSTREAM_DIALECT: writeDialect(content) });
  const positions = async (env: object, args: object, second: string) => {
    const { read, calls } = await start(60, {}, { ...env });
    const { endCursor } = await read({ first: 20, ...args });

    expect((await read({ first: 20, after: endCursor, ...args })).ids).toHaveLength(20);
    expect(calls()[1]).toBe(second);
  };

  it('goes on by its position', async () => {
    await positions({}, { orderBy: [{ field: 'rank' }] }, ' +rank 2 20');
    await positions(
      {},
      { where: [{ field: ID, operator: 'GT', value: 5 }] },
      'idInstance=gt:5 +idInstance 2 20',
    );
    await positions(dialect({ list: { isPagedById: false } }), {}, '  2 20');
  });

  it('may have a condition on the id, and still comes in the order of ids', async () => {
    const { rows, read, calls } = await start(30);
    rows.rows.reverse();
    const where = [{ field: ID, operator: 'LT', value: 4 }];

    expect((await read({ first: 20, where })).ids).toEqual([1, 2, 3]);
    expect(calls()).toEqual(['idInstance=lt:4 +idInstance 1 20']);
  });

  it('is read without an order if the platform ignores orders', async () => {
    const { execute, calls } = await start(60, {}, dialect({ list: { isSorted: false } }));

    const { errors } = await execute('{ instances(formId: "a", first: 20) { nodes { id } } }');

    expect(errors).toBeUndefined();
    expect(calls()).toEqual(['  1 20']);
  });

  it('is one in the order of ids where the platform lacks what that takes', async () => {
    await positions(examined({ search: { operators: { GT: null } } }), {}, '  2 20');
    await positions(
      examined({ search: { operators: { LT: null } } }),
      { orderBy: DESCENDING },
      ' -idInstance 2 20',
    );
    await positions(
      examined({ search: { operators: { LT: null } } }),
      {},
      'idInstance=gt:20 +idInstance 1 20',
    );
  });
});

describe('a cursor', () => {
  it('that a client has forged beyond the end of all lists is refused where rows are counted', async () => {
    const { execute } = await start(100);
    const after = Buffer.from('at:2147483646:7:100').toString('base64url');

    const { data, errors } = await execute(
      `{ instances(formId: "a", first: 2, after: "${after}") { totalCount nodes { instanceId } } }`,
    );

    expect(data.instances.nodes).toEqual([{ instanceId: '8' }, { instanceId: '9' }]);
    expect(errors).toMatchObject([
      { path: ['instances', 'totalCount'], extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });

  it('may be a position alone, as in earlier versions', async () => {
    const { read, calls } = await start(100);

    const { ids } = await read({ first: 20, after: bare(19) });

    expect(ids).toEqual(numbers(21, 40));
    expect(calls()).toEqual([' +idInstance 2 20']);
  });

  it('names the same row in the generic and in the typed graph, and in a list of what refers to one instance', async () => {
    const { execute } = await startCountedGateway({ TYPED_FORMS: '*' });
    const page = (list: string, after = '') =>
      execute(`{ ${list}(first: 2${after}) { nodes { id } pageInfo { endCursor } } }`);
    const { data: typed } = await page('purchaseRequests');
    const after = `, after: "${typed.purchaseRequests.pageInfo.endCursor}"`;
    const { data: generic } = await execute(
      `{ instances(formId: "purchase-request", first: 2${after}) { nodes { id } } }`,
    );
    const { data: next } = await page('purchaseRequests', after);
    const back = async (args = '') => {
      const list = `purchaseRequests(first: 1${args}) { nodes { id } pageInfo { endCursor hasNextPage } }`;
      return (await execute(`{ supplier(instanceId: "1") { ${list} } }`)).data.supplier
        .purchaseRequests;
    };
    const first = await back();
    const second = await back(`, after: "${first.pageInfo.endCursor}"`);

    expect(generic.instances.nodes).toEqual(next.purchaseRequests.nodes);
    expect(first.pageInfo.hasNextPage).toBe(true);
    expect(second.nodes).toHaveLength(1);
    expect(second.nodes).not.toEqual(first.nodes);
  });
});
