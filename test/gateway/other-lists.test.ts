import { describe, expect, it } from 'vitest';

import { type Env, startGateway } from '../support/gateway.ts';
import { planOf } from '../support/plan.ts';
import {
  type ScriptedAnswer,
  type SeenRequest,
  scriptPlatform,
} from '../support/scripted-platform.ts';
import { writeDialect } from '../support/write-dialect.ts';

const LIST =
  '{ instances(formId: "a", first: 20) { totalCount nodes { instanceId } pageInfo { hasNextPage } } }';
const CANARY = 'canary';

/** Starts a gateway before a platform that answers so. */
async function start(
  answer: (request: SeenRequest, query: URLSearchParams) => ScriptedAnswer,
  env: Env = {},
) {
  const platform = await scriptPlatform((request) =>
    answer(request, new URL(request.url, 'http://platform').searchParams),
  );
  const gateway = await startGateway({ ...platform.env, LOG_LEVEL: 'info', ...env });
  return { ...gateway, seen: platform.seen };
}

const toRows = (ids: readonly (number | string)[]) =>
  ids.map((id) => ({ idInstance: id, values: { title: `t${id}` } }));
const ROWS = toRows([...Array(50).keys()].map((at) => at + 1));

/** Returns the requested page, whose number is counted from 0 or 1. */
const pageOf = <T>(rows: readonly T[], query: URLSearchParams, firstPage: 0 | 1): readonly T[] => {
  const size = Number(query.get('per-page'));
  const from = (Number(query.get('page-number') ?? firstPage) - firstPage) * size;
  return rows.slice(from, from + size);
};

it.each<[what: string, body: object]>([
  ['a state', { state: CANARY }],
  ['a total above 0', { total: 5, rows: CANARY }],
  ['two other lists', { rows: [CANARY], columns: [CANARY] }],
])(
  'a response without a list but with %s fails, and names the expected members in the answer and in the log',
  async (_what, body) => {
    const { execute, lines } = await start(() => ({ body }));

    const answer = await execute(LIST);

    const message = expect.stringMatching(/Looked for .*items, data, results, .*\(list\.items\)/);
    const code = 'UPSTREAM_INVALID_RESPONSE';
    const upstream = { operation: 'getFormIntances' };
    expect(answer.errors).toMatchObject([
      { path: ['instances'], message, extensions: { code, upstream } },
    ]);
    expect(lines.find((line) => line.includes(code))).toEqual(message);
    expect(JSON.stringify(answer) + lines.join('')).not.toContain(CANARY);
  },
);

describe('a platform whose total does not heed conditions', () => {
  const list = (condition: string) =>
    `{ instances(formId: "a", first: 20, ${condition}) { totalCount nodes { instanceId } pageInfo { hasNextPage endCursor } } }`;
  const platform = (_: SeenRequest, query: URLSearchParams) => {
    const rows = query.has('search') ? [] : ROWS.slice(0, 20);
    return { body: { items: pageOf(rows, query, 1), total: 20 } };
  };
  const EMPTY = { totalCount: null, nodes: [], pageInfo: { hasNextPage: false } };

  it('has an end after a full page', async () => {
    const { dataOf } = await start(platform);
    const { instances } = await dataOf(list('page: 1'));
    expect(instances.nodes).toHaveLength(20);

    const rest = await dataOf(list(`after: "${instances.pageInfo.endCursor}"`));

    expect(rest.instances).toMatchObject({ ...EMPTY, totalCount: 20 });
  });

  it('has an empty page where no row meets a condition, for one more call', async () => {
    const { dataOf, seen } = await start(platform);

    const data = await dataOf(list('where: [{ field: "title", operator: EQ, value: "no" }]'));

    expect(data.instances).toMatchObject(EMPTY);
    expect(seen.filter(({ url }) => url.includes('per-page'))).toMatchObject([
      { url: expect.stringMatching(/page-number=1&per-page=20/) },
      { url: expect.stringMatching(/[?&]per-page=1&sort/) },
    ]);
  });
});

describe('a platform that counts pages from 0', () => {
  it('has no list that is empty beside a total: that names the dialect’s member', async () => {
    const { execute, lines } = await start((_request, query) => ({
      body: { content: pageOf(ROWS.slice(0, 5), query, 0), totalElements: 5 },
    }));

    const { errors } = await execute(LIST);

    const says = /list\.firstPage in the dialect to 0/;
    expect(errors).toMatchObject([
      { message: expect.stringMatching(says), extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } },
    ]);
    expect(lines.join('\n')).toMatch(says);
  });

  it.each([{ totalElements: 3 }, {}])(
    'does not look like a platform without forms: the gateway reports why it is not ready (with %j)',
    async (total) => {
      const forms = ['one', 'two', 'three'].map((idForm) => ({ idForm }));
      const { url, lines } = await start(
        (request, query) =>
          request.url.startsWith('/v1.0/forms?')
            ? { body: { content: pageOf(forms, query, 0), ...total } }
            : { status: 404 },
        { TYPED_FORMS: '*' },
      );

      expect((await fetch(`${url}/readyz`)).status).toBe(503);
      expect(lines.join('\n')).toMatch(/list\.firstPage in the dialect/);
    },
  );

  it('may have no forms', async () => {
    const { url } = await start(() => ({ body: [] }), { TYPED_FORMS: '*' });

    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });
});

describe('the total of a list', () => {
  const isMore = { pageInfo: { hasNextPage: true } };

  it.each<[what: string, rows: number, total: unknown, instances: object, dialect?: object]>([
    ['of 1 is not known of a page of one row', 1, 1, { totalCount: null }],
    ['of 1 stays 1 where the dialect names it', 1, 1, { totalCount: 1 }, { total: ['total'] }],
    ['of a short page is its length', 0, 0, { totalCount: 0, pageInfo: { hasNextPage: false } }],
    ['may be a text', 1, '50', { totalCount: 50, ...isMore }],
    ['is not less than its rows', 1, 0, { totalCount: null, ...isMore }],
  ])('%s', async (_what, rows, total, instances, list = {}) => {
    const body = { items: ROWS.slice(0, rows), total };
    const { dataOf } = await start(() => ({ body }), { UPSTREAM_DIALECT: writeDialect({ list }) });

    expect((await dataOf(LIST.replace('first: 20', 'first: 1'))).instances).toMatchObject(
      instances,
    );
  });

  it('that counts the rows of a page is reported once, with the dialect’s member to set', async () => {
    const { dataOf, logged } = await start((_request, query) => ({
      body: { items: pageOf(ROWS, query, 1), count: 20 },
    }));

    for (const page of [1, 2, 1, 2]) {
      const list = `instances(formId: "a", first: 20, page: ${page}, orderBy: [{ field: "t" }])`;
      expect(await dataOf(`{ ${list} { totalCount } }`)).toEqual({
        instances: { totalCount: null },
      });
    }

    const reports = logged().filter(({ msg }) => /list\.total/.test(msg));
    expect(reports).toMatchObject([{ list: 'a', msg: expect.stringContaining('set list.total') }]);
  });
});

describe('a page that contradicts the page before it', () => {
  const walk = async (
    answer: (page: number, query: URLSearchParams) => ScriptedAnswer,
    args: string,
    list: object = {},
  ) => {
    const { execute } = await start(
      (_request, query) => answer(Number(query.get('page-number') ?? 1), query),
      { UPSTREAM_DIALECT: writeDialect({ list }) },
    );
    const read = (after: string | null) =>
      execute(
        `query ($after: String) { instances(formId: "a", ${args}, after: $after) {
          nodes { instanceId } pageInfo { hasNextPage endCursor }
        } }`,
        { after },
      );
    const first = await read(null);
    return { first, readNext: () => read(first.data.instances.pageInfo.endCursor) };
  };
  const INVALID = [{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }];
  const ORDERED = 'first: 40, orderBy: [{ field: "t" }]';
  const PAGES_OF_20 = { maxPageSize: 20 };

  const LOST: readonly [what: string, answer: ScriptedAnswer][] = [
    ['a 204', { status: 204, body: '' }],
    ['null', { body: { items: null } }],
    ['no rows', { body: { items: [] } }],
    ['no rows and a total of 0', { body: { items: [], total: 0 } }],
  ];

  const SHORT = ['a short page without a total', { body: { items: ROWS.slice(20, 30) } }] as const;

  it.each([...LOST, SHORT])('by %s does not end a list before its total', async (_what, lost) => {
    const answer = (page: number, query: URLSearchParams) =>
      page > 1 ? lost : { body: { items: pageOf(ROWS, query, 1), total: 50 } };
    const { first, readNext } = await walk(answer, 'first: 20');

    expect(first.data.instances.pageInfo.hasNextPage).toBe(true);
    for (const _time of [1, 2]) expect((await readNext()).errors).toMatchObject(INVALID);
    expect((await walk(answer, ORDERED, PAGES_OF_20)).first.errors).toMatchObject(INVALID);
  });

  it.each([...LOST, SHORT])('by %s does not end it where pages follow ids', async (_what, lost) => {
    const answer = (_page: number, query: URLSearchParams) => {
      const rows = query.get('sort')?.startsWith('-') ? ROWS.toReversed() : ROWS;
      if (query.get('search')?.endsWith('gt:30')) return { body: { items: [] } };
      return query.has('search') ? lost : { body: { items: pageOf(rows, query, 1), total: 50 } };
    };
    const { readNext } = await walk(answer, 'first: 20');

    expect((await readNext()).errors).toMatchObject(INVALID);
  });

  it.each(LOST)('by %s ends a list that has become shorter', async (_what, lost) => {
    let rows = ROWS;
    const answer = (page: number, query: URLSearchParams) => {
      const items = pageOf(rows, query, 1);
      return items.length === 0 || page > 1 ? lost : { body: { items, total: rows.length } };
    };
    const { readNext } = await walk(answer, 'first: 20');
    rows = ROWS.slice(0, 20);

    expect(await readNext()).toMatchObject({
      data: { instances: { nodes: [], pageInfo: { hasNextPage: false } } },
    });
  });

  it.each([{}, { total: 50 }])('by the same rows does not repeat a list: %j', async (total) => {
    const answer = (_page: number, query: URLSearchParams) => ({
      body: { items: ROWS.slice(0, Number(query.get('per-page'))), ...total },
    });
    const { readNext } = await walk(answer, 'first: 20');

    for (const _time of [1, 2]) expect((await readNext()).errors).toMatchObject(INVALID);
    expect((await walk(answer, ORDERED, PAGES_OF_20)).first.errors).toMatchObject(INVALID);
  });

  it('by the same rows is a list without pages if it ignores the page size as well', async () => {
    const answer = () => ({ body: { items: ROWS.slice(0, 20) } });
    const { first } = await walk(answer, ORDERED, PAGES_OF_20);

    expect(first.data.instances.nodes).toHaveLength(20);
    expect(first.data.instances.pageInfo.hasNextPage).toBe(false);
  });
});

const REFERENCE = { name: 'r', type: 'reference', reference: 'b' };
/** The instances of the form `a` refer to these instances of `b`. */
const answerReferences = (url: string, ids: readonly (number | string)[]) => {
  const items = ids.map((id, at) => ({ idInstance: at + 1, values: { r: id } }));
  if (url === '/v1.0/forms/a') return { body: { idForm: 'a', fields: [REFERENCE] } };
  if (url.startsWith('/v1.0/forms/a/')) return { body: { items, total: ids.length } };
  return undefined;
};

describe('an entry of a list that has no id', () => {
  const items = [...toRows([1]), { values: { title: 'b' } }, ...toRows([3])];
  const answer = ({ url }: SeenRequest, query: URLSearchParams): ScriptedAnswer => {
    const list = query.has('page-number') ? { body: { items, total: 3 } } : { status: 404 };
    return answerReferences(url, [1, 2, 3]) ?? list;
  };
  const extensions = { code: 'UPSTREAM_INVALID_RESPONSE' };

  it('is an error at its place', async () => {
    const { execute, dataOf } = await start(answer);

    const { data, errors } = await execute('{ instances(formId: "b") { nodes { values } } }');
    const totals = await dataOf('{ instances(formId: "b") { totalCount } }');

    expect(data.instances).toBeNull();
    expect(errors).toMatchObject([{ path: ['instances', 'nodes', 1], extensions }]);
    expect(totals).toEqual({ instances: { totalCount: 3 } });
  });

  it('fails the reference that it may be, and no others', async () => {
    const { execute } = await start(answer);

    const { data, errors } = await execute(
      '{ instances(formId: "a") { nodes { reference(field: "r") { instanceId } } } }',
    );

    expect(data.instances.nodes).toEqual([
      { reference: { instanceId: '1' } },
      { reference: null },
      { reference: { instanceId: '3' } },
    ]);
    expect(errors).toMatchObject([{ path: ['instances', 'nodes', 1, 'reference'], extensions }]);
  });

  it('takes the types of no other form away', async () => {
    const fields = [{ name: 'title' }];
    const body = [
      { idForm: 'one', fields },
      { name: 'no id', fields },
      { idForm: 'two', fields },
    ];
    const { dataOf, lines } = await start(() => ({ body }), { TYPED_FORMS: '*' });

    const data = await dataOf(
      '{ one: __type(name: "One") { name } two: __type(name: "Two") { name } }',
    );

    expect(data).toEqual({ one: { name: 'One' }, two: { name: 'Two' } });
    expect(lines.join('\n')).toContain('the definition of a form is unreadable');
  });
});

describe('a platform that refuses long addresses', () => {
  const IDS = ROWS.concat(ROWS).map((_row, at) =>
    String(9_000_000_000_000_000_000n + BigInt(at * 7)),
  );
  const lookUp = (url: string, search: string): ScriptedAnswer => {
    const ids = /in:([\d|]+)/.exec(search)?.[1]?.split('|');
    return ids
      ? { body: { items: toRows(ids), total: ids.length } }
      : { body: toRows([url.split('/').at(-1) ?? ''])[0] };
  };
  const QUERY =
    '{ instances(formId: "a", first: 100) { nodes { reference(field: "r") { value(field: "title") } } } }';

  it.each([404, 414, 400])(
    'by %i has no absent records: they are looked up by 25, which counts in the cost',
    async (status) => {
      const page = { status, headers: { 'content-type': 'text/html' }, body: '<h1>404.15</h1>' };
      const { dataOf, url, seen, logged } = await start(
        (request, query) =>
          answerReferences(request.url, IDS) ??
          (request.url.length > 900 ? page : lookUp(request.url, query.get('search') ?? '')),
      );
      const costs = async () => (await planOf(url, QUERY))?.calls.most;
      const before = await costs();

      const nodes = IDS.map((id) => ({ reference: { value: `t${id}` } }));
      for (const _ of [1, 2]) expect(await dataOf(QUERY)).toEqual({ instances: { nodes } });

      expect([before, await costs()]).toEqual([4, 6]);
      expect(seen.filter(({ url: path }) => path.length > 900)).toHaveLength(1);
      const reports = logged().filter(({ msg }) => /search\.maxIds/.test(msg));
      expect(reports).toMatchObject([{ list: 'b', rows: 25 }]);
    },
  );

  it('gets a client’s own filter unchanged', async () => {
    const { execute, seen } = await start(() => ({ body: { items: [], total: 0 } }));
    const value = 'x'.repeat(3_900);

    await execute(
      `{ instances(formId: "a", where: [{ field: "title", value: "${value}" }]) { totalCount } }`,
    );

    expect(seen[0]?.url).toContain(value);
  });
});
