import { describe, expect, it, onTestFinished } from 'vitest';
import { ChangingList, type Paging, startChangingPlatform } from '../support/changing-platform.ts';
import { startCountedGateway, startGateway } from '../support/gateway.ts';

const PAGE = 'nodes { id } pageInfo { hasNextPage endCursor }';
const bare = (position: number) => Buffer.from(`at:${position}`).toString('base64url');

/** A gateway before a platform whose list of this many rows changes when the test says. */
async function start(size: number, paging: Partial<Paging> = {}, env: Readonly<Record<string, string>> = {}) {
  const platform = await startChangingPlatform({ tells: 'totals', longestPage: 100, ...paging });
  const rows = new ChangingList(size);
  platform.held.list = rows;
  const { execute, url, close } = await startGateway({ ...platform.env, ...env });
  onTestFinished(close);
  const read = async (variables: { readonly first: number; readonly after?: string | null }) => {
    const answer = await execute(
      `query ($first: Int!, $after: String) { instances(formId: "a", first: $first, after: $after) { ${PAGE} } }`,
      variables,
    );
    const { nodes, pageInfo } = answer.data.instances;
    return { ...answer, ...pageInfo, ids: nodes.map(({ id }: { readonly id: string }) => numberOf(id)) };
  };
  const calls = () => platform.seen.splice(0).length;
  return { rows, read, calls, execute, url };
}

const numberOf = (id: string) => Number(JSON.parse(Buffer.from(id, 'base64url').toString())[2]);
const numbers = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, row) => first + row);

/** Reads a list to its end, and counts the calls for each page. */
async function readAll({ read, calls }: Awaited<ReturnType<typeof start>>, first: number) {
  const pages: { readonly ids: readonly number[]; readonly calls: number }[] = [];
  for (let after: string | null = null, isMore = true; isMore; ) {
    const { ids, endCursor, hasNextPage }: Awaited<ReturnType<typeof read>> = await read({ first, after });
    pages.push({ ids, calls: calls() });
    [after, isMore] = [endCursor, hasNextPage];
  }
  return { ids: pages.flatMap(({ ids }) => ids), calls: pages.map((page) => page.calls) };
}

describe('a list that does not change', () => {
  it.each([1, 7, 20, 33, 50])(
    'costs one call for each page of %i where these are at most half of the platform’s',
    async (first) => {
      const { ids, calls } = await readAll(await start(150), first);

      expect(ids).toEqual(numbers(1, 150));
      expect(new Set(calls)).toEqual(new Set([1]));
    },
  );

  it('costs a second call for each page that is as long as the platform’s, for the row before it', async () => {
    const { ids, calls } = await readAll(await start(350), 100);

    expect(ids).toEqual(numbers(1, 350));
    expect(calls).toEqual([1, 2, 2, 2]);
  });

  it('costs a second call where no single page has both the page and the row before it', async () => {
    expect((await readAll(await start(300), 80)).calls).toEqual([1, 2, 2, 2]);
    expect((await readAll(await start(300), 60)).calls).toEqual([1, 2, 1, 1, 1]);
  });

  it('costs no more where the platform states no total, but for what it costs to find its end', async () => {
    const { ids, calls } = await readAll(await start(150, { tells: 'nothing' }), 40);

    expect(ids).toEqual(numbers(1, 150));
    expect(calls).toEqual([1, 1, 1, 1]);
  });
});

describe('a list of which others delete rows', () => {
  it.each(['totals', 'nothing'] as const)('goes on at the row after the last one: %s', async (tells) => {
    const { rows, read } = await start(261, { tells });
    const first = await read({ first: 50 });
    const second = await read({ first: 50, after: first.endCursor });
    for (const id of [3, 30, 40]) rows.delete(id);

    const third = await read({ first: 50, after: second.endCursor });

    expect(third.ids).toEqual(numbers(101, 150));
    expect(third.extensions).toBeUndefined();
  });

  it('goes on where the last row was, if that is deleted as well', async () => {
    const { rows, read } = await start(100);
    const { endCursor } = await read({ first: 20 });
    for (const id of [5, 20, 19]) rows.delete(id);

    const { ids, extensions } = await read({ first: 20, after: endCursor });

    expect(ids).toEqual(numbers(21, 40));
    expect(extensions).toBeUndefined();
  });

  it('loses no row where as many are inserted, so that the total is the same', async () => {
    const { rows, read } = await start(300);
    const { endCursor } = await read({ first: 80 });
    rows.delete(4);
    rows.insert(299, 0);

    expect((await read({ first: 80, after: endCursor })).ids).toEqual(numbers(81, 160));
  });

  it('repeats no row where rows are inserted in front', async () => {
    const { rows, read } = await start(100);
    const { endCursor } = await read({ first: 20 });
    for (let inserted = 0; inserted < 7; inserted++) rows.insert(0, 0);

    const { ids, extensions } = await read({ first: 20, after: endCursor });

    expect(ids).toEqual(numbers(21, 40));
    expect(extensions).toBeUndefined();
  });

  it('is read again from before, and names the path, where none of the rows that the cursor names is left', async () => {
    const { rows, read, execute } = await start(100);
    const { endCursor } = await read({ first: 20 });
    for (const id of [17, 18, 19, 20]) rows.delete(id);

    const { data, extensions } = await execute(
      `{ form(formId: "1") { few: instances(first: 10) { nodes { id } } }
         again: instances(formId: "a", first: 20, after: "${endCursor}") { nodes { id } } }`,
    );

    const ids = data.again.nodes.map(({ id }: { readonly id: string }) => numberOf(id));
    expect(ids).toEqual([...numbers(1, 16), ...numbers(21, 24)]);
    expect(extensions).toEqual({ repeated: [['again']] });
  });

  it('names the path in the answers of all equal queries', async () => {
    const { rows, read } = await start(100);
    const { endCursor } = await read({ first: 20 });
    for (const id of [17, 18, 19, 20]) rows.delete(id);

    const pages = await Promise.all([1, 2, 3].map(() => read({ first: 20, after: endCursor })));

    expect(pages.map(({ extensions }) => extensions)).toEqual(Array(3).fill({ repeated: [['instances']] }));
  });

  it('goes back as far as it has shrunk', async () => {
    const { rows, read } = await start(800);
    let after: string | null = null;
    for (let page = 0; page < 10; page++) after = (await read({ first: 50, after })).endCursor;
    rows.rows = rows.rows.slice(480);

    expect((await read({ first: 50, after })).ids).toEqual(numbers(501, 550));
  });

  it('goes on by the row that stays where the last one is moved by its own value', async () => {
    const { rows, read } = await start(100);
    const { endCursor } = await read({ first: 20 });
    rows.rows = [
      ...rows.rows.slice(0, 19),
      ...rows.rows.slice(20, 25),
      ...rows.rows.slice(19, 20),
      ...rows.rows.slice(25),
    ];

    const { ids, extensions } = await read({ first: 20, after: endCursor });

    expect(ids).toEqual([21, 22, 23, 24, 25, 20, ...numbers(26, 39)]);
    expect(extensions).toEqual({ repeated: [['instances']] });
  });
});

describe('the calls that look for a row', () => {
  it('are at most three', async () => {
    const { rows, read, calls } = await start(400);
    const { endCursor } = await read({ first: 100 });
    const second = await read({ first: 100, after: endCursor });
    for (const id of numbers(190, 200)) rows.delete(id);
    calls();

    await read({ first: 100, after: second.endCursor });

    expect(calls()).toBeLessThanOrEqual(1 + 3);
  });

  it('are made only where the operation has room for them', async () => {
    const { read, calls, execute } = await start(400, {}, { COST_MAX_CALLS: '2' });
    const { endCursor } = await read({ first: 100 });
    calls();

    const page = `instances(formId: "a", first: 100, after: "${endCursor}") { nodes { id } }`;
    const { data, errors } = await execute(`{ ${page} form(formId: "1") { name } }`);

    expect(errors).toBeUndefined();
    expect(data.instances.nodes).toHaveLength(100);
    expect(calls()).toBe(2);
  });

  it('are in the plan of an operation with a cursor, and are no reason to refuse it', async () => {
    const { read, url } = await start(400, {}, { COST_MAX_CALLS: '3' });
    const { endCursor } = await read({ first: 20 });
    const plan = async (variables: object) => {
      const query =
        'query ($after: String) { instances(formId: "a", after: $after) { nodes { id } } form(formId: "1") { name } }';
      const headers = { 'content-type': 'application/json', 'x-caseway-explain': 'plan' };
      const body = JSON.stringify({ query, variables });
      const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body });
      // biome-ignore lint/suspicious/noExplicitAny: the test asserts the shape.
      return ((await response.json()) as any).extensions.plan.calls;
    };

    expect(await plan({ after: null })).toMatchObject({ most: 2, allowed: 3 });
    expect(await plan({ after: endCursor })).toMatchObject({ most: 3, allowed: 3 });
  });
});

describe('a cursor', () => {
  it('may be a position alone, as it was once', async () => {
    const { read, calls } = await start(100);

    const { ids } = await read({ first: 20, after: bare(19) });

    expect(ids).toEqual(numbers(21, 40));
    expect(calls()).toBe(1);
  });

  it.each([
    ['another form', 'instances(formId: "b"'],
    ['other conditions', 'instances(formId: "a", where: [{ field: "note", operator: EQ, value: 0 }]'],
    ['another order', 'instances(formId: "a", orderBy: [{ field: "rank" }]'],
    ['forms', 'forms(first: 5'],
  ])('is refused for %s', async (_what, list) => {
    const { read, execute } = await start(100);
    const { endCursor } = await read({ first: 20 });

    const { errors } = await execute(`{ ${list}, after: "${endCursor}") { nodes { id } } }`);

    expect(errors).toMatchObject([
      { message: expect.stringMatching(/^after is a cursor of another/), extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });

  it.each([
    'v1:',
    'v2:AAAAAAAAAAAAAAAA:1:2:3',
    'v1:AAAAAAAAAAAAAAAA:-1:2:3',
    'v1:AAAAAAAAAAAAAAAA:1:2:',
    'v1:AAAAAAAAAAAAAAAA:1:2:1:2:3:4:5',
    'v1:AAAAAAAAAAAAAAAA:9999999999:2:3',
    `v1:AAAAAAAAAAAAAAAA:1:2:${'x'.repeat(50_000)}`,
    'at:01',
  ])('is refused where the gateway did not write it: %s', async (text) => {
    const { execute } = await start(10);
    const after = Buffer.from(text).toString('base64url');

    const { errors } = await execute('query ($after: String) { forms(after: $after) { nodes { id } } }', { after });

    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });

  it('is short, however long the ids are that it names', async () => {
    const { execute } = await start(100);

    const { data } = await execute('{ forms(first: 100) { edges { cursor } } }');

    const lengths = data.forms.edges.map(({ cursor }: { readonly cursor: string }) => cursor.length);
    expect(Math.max(...lengths)).toBeLessThan(300);
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
    const back = (supplier: number, args: string) =>
      execute(
        `{ supplier(instanceId: "${supplier}") { purchaseRequests(first: 1${args}) { pageInfo { endCursor } } } }`,
      );
    const { endCursor } = (await back(1, '')).data.supplier.purchaseRequests.pageInfo;

    expect(generic.instances.nodes).toEqual(next.purchaseRequests.nodes);
    expect((await back(1, `, after: "${endCursor}"`)).errors).toBeUndefined();
    expect((await back(2, `, after: "${endCursor}"`)).errors).toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });
});
