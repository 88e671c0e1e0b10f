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

/**
 * A gateway before a platform that gives these answers. `lines` has the log, `pages` the query of
 * each list call.
 */
async function start(
  answer: (request: SeenRequest, query: URLSearchParams) => ScriptedAnswer,
  { dialect = {}, env = {} }: { readonly dialect?: object; readonly env?: Env } = {},
) {
  const queryOf = (url: string) => new URL(url, 'http://platform').searchParams;
  const platform = await scriptPlatform((request) => answer(request, queryOf(request.url)));
  const settings = {
    ...platform.env,
    LOG_LEVEL: 'info',
    UPSTREAM_DIALECT: writeDialect(dialect),
    ...env,
  };
  const gateway = await startGateway(settings);
  const pages = () =>
    platform.seen.splice(0).flatMap(({ url }) => {
      const query = queryOf(url);
      return query.has('per-page') ? [`${query.get('page-number')}/${query.get('per-page')}`] : [];
    });
  return { ...gateway, ...platform, pages };
}

const toRows = (ids: readonly (number | string)[]) =>
  ids.map((id) => ({ idInstance: id, values: { title: `t${id}` } }));

it.each<[what: string, body: object]>([
  ['a state', { state: CANARY }],
  ['a total above 0', { total: 5, rows: CANARY }],
  ['two other lists', { rows: [CANARY], columns: [CANARY] }],
])(
  'a response without a list but with %s fails, and names the expected members in the answer and in the log',
  async (_what, body) => {
    const { execute, lines } = await start(() => ({ body }));

    const answer = await execute(LIST);

    const says = /Looked for .*items, data, results, .*\(list\.items\)/;
    expect(answer.errors).toMatchObject([
      {
        path: ['instances'],
        message: expect.stringMatching(says),
        extensions: {
          code: 'UPSTREAM_INVALID_RESPONSE',
          upstream: { operation: 'getFormIntances' },
        },
      },
    ]);
    const line = lines.find((one) => one.includes('UPSTREAM_INVALID_RESPONSE'));
    expect(line).toMatch(says);
    expect(JSON.stringify(answer) + lines.join('')).not.toContain(CANARY);
  },
);

describe('a platform whose total does not heed conditions', () => {
  const ROWS = toRows(Array.from({ length: 20 }, (_, at) => at + 1));
  const list = (condition: string) =>
    `{ instances(formId: "a", first: 20, ${condition}) { totalCount nodes { instanceId } pageInfo { hasNextPage } } }`;
  const platform = (_: SeenRequest, query: URLSearchParams) => {
    const rows = query.has('search') ? [] : ROWS;
    const start = (Number(query.get('page-number') ?? 1) - 1) * Number(query.get('per-page'));
    return {
      body: { items: rows.slice(start, start + Number(query.get('per-page'))), total: ROWS.length },
    };
  };
  const EMPTY = { totalCount: null, nodes: [], pageInfo: { hasNextPage: false } };

  it('has an end after a full page', async () => {
    const { dataOf } = await start(platform);
    const { instances } = await dataOf(
      '{ instances(formId: "a", first: 20) { nodes { instanceId } pageInfo { endCursor } } }',
    );
    expect(instances.nodes).toHaveLength(20);

    const rest = await dataOf(list(`after: "${instances.pageInfo.endCursor}"`));

    expect(rest.instances).toEqual({ ...EMPTY, totalCount: 20 });
  });

  it('has an empty page where no row meets a condition, for one more call', async () => {
    const { dataOf, pages } = await start(platform);

    const data = await dataOf(list('where: [{ field: "title", operator: EQ, value: "no" }]'));

    expect(data.instances).toEqual(EMPTY);
    expect(pages()).toEqual(['1/20', 'null/1']);
  });
});

describe('a platform that counts pages from 0', () => {
  /** Responds with the requested page of these rows. */
  const countsFrom0 =
    (ids: readonly number[], tells = true) =>
    (_request: SeenRequest, query: URLSearchParams) => {
      const after = Number(/gt:(\d+)/.exec(query.get('search') ?? '')?.[1] ?? 0);
      const found = ids.filter((id) => id > after);
      const size = Number(query.get('per-page'));
      const at = Number(query.get('page-number') ?? 0) * size;
      return {
        body: {
          content: toRows(found.slice(at, at + size)),
          ...(tells && { totalElements: found.length }),
        },
      };
    };
  const FIFTY = Array.from({ length: 50 }, (_, at) => at + 1);

  it('has no list that is empty beside a total: that names the dialect’s member', async () => {
    const { execute, lines } = await start(countsFrom0(FIFTY.slice(0, 5)));

    const { errors } = await execute(LIST);

    const says = /list\.firstPage in the dialect to 0/;
    expect(errors).toMatchObject([
      { message: expect.stringMatching(says), extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } },
    ]);
    expect(lines.join('\n')).toMatch(says);
  });

  it.each([true, false])(
    'does not look like a platform without forms: the gateway reports why it is not ready (with totals: %s)',
    async (tells) => {
      const forms = (request: SeenRequest, query: URLSearchParams): ScriptedAnswer => {
        if (!request.url.startsWith('/v1.0/forms?')) return { status: 404 };
        const { content, totalElements } = countsFrom0([1, 2, 3], tells)(request, query).body as {
          content: readonly { idInstance: number }[];
          totalElements?: number;
        };
        return {
          body: {
            content: content.map(({ idInstance }) => ({ idForm: `f${idInstance}` })),
            totalElements,
          },
        };
      };
      const { url, lines } = await start(forms, { env: { TYPED_FORMS: '*' } });

      expect((await fetch(`${url}/readyz`)).status).toBe(503);
      expect(lines.join('\n')).toMatch(/list\.firstPage in the dialect/);
    },
  );

  it('may have no forms', async () => {
    const { url } = await start(() => ({ body: [] }), { env: { TYPED_FORMS: '*' } });

    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });
});

describe('the total of a list', () => {
  const page = (length: number, total: unknown) => ({
    body: { items: toRows([...Array(length).keys()]), total },
  });

  it.each<[what: string, body: object, dialect: object, instances: object]>([
    ['of 1 is not known of a page of one row', page(1, 1).body, {}, { totalCount: null }],
    [
      'of 1 stays 1 where the dialect names it',
      page(1, 1).body,
      { list: { total: ['total'] } },
      { totalCount: 1 },
    ],
    [
      'of a short page is its length',
      page(0, 0).body,
      {},
      { totalCount: 0, pageInfo: { hasNextPage: false } },
    ],
    ['may be a text', page(1, '50').body, {}, { totalCount: 50, pageInfo: { hasNextPage: true } }],
    [
      'is not less than its rows',
      page(1, 0).body,
      {},
      { totalCount: null, pageInfo: { hasNextPage: true } },
    ],
  ])('%s', async (_what, body, dialect, instances) => {
    const { dataOf } = await start(() => ({ body }), { dialect });
    const query = LIST.replace('first: 20', 'first: 1');

    const data = await dataOf(query);

    expect(data.instances).toMatchObject(instances);
  });

  it('that counts the rows of a page is reported once, with the dialect’s member to set', async () => {
    const { execute, lines } = await start((_request, query) => {
      const at = (Number(query.get('page-number')) - 1) * 20;
      return { body: { items: toRows([...Array(50).keys()].slice(at, at + 20)), count: 20 } };
    });
    const pageOf = (number: number) =>
      execute(
        `{ instances(formId: "a", first: 20, page: ${number}, orderBy: [{ field: "t" }]) { totalCount } }`,
      );

    for (const number of [1, 2, 1, 2])
      expect((await pageOf(number)).data.instances).toEqual({ totalCount: null });

    const reports = lines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => /list\.total/.test(msg));
    expect(reports).toMatchObject([{ list: 'a', msg: expect.stringContaining('set list.total') }]);
  });
});

describe('an entry of a list that has no id', () => {
  const entries = [...toRows([1]), { values: { title: 'b' } }, ...toRows([3])];
  const reference = { name: 'r', type: 'reference', reference: 'b' };
  /** Instances of `a` refer to instances of `b`. One entry of the list of `b` has no id. */
  const answer = ({ url }: SeenRequest, query: URLSearchParams): ScriptedAnswer => {
    if (url === '/v1.0/forms/a') return { body: { idForm: 'a', fields: [reference] } };
    if (url.startsWith('/v1.0/forms/a/')) {
      return {
        body: { items: [1, 2, 3].map((id) => ({ idInstance: id, values: { r: id } })), total: 3 },
      };
    }
    return query.has('page-number') ? { body: { items: entries, total: 3 } } : { status: 404 };
  };

  it('is an error at its place', async () => {
    const { execute } = await start(answer);

    const { data, errors } = await execute(
      '{ instances(formId: "b") { totalCount nodes { values } } }',
    );
    const totals = await execute('{ instances(formId: "b") { totalCount } }');

    expect(data.instances).toBeNull();
    expect(errors).toMatchObject([
      { path: ['instances', 'nodes', 1], extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } },
    ]);
    expect(totals).toMatchObject({ data: { instances: { totalCount: 3 } } });
  });

  it('fails the reference that it may be, and no others', async () => {
    const { execute } = await start(answer);

    const { data, errors } = await execute(
      '{ instances(formId: "a") { nodes { reference(field: "r") { instanceId } } } }',
    );

    const [one, two, three] = data.instances.nodes;
    expect([one.reference, two.reference, three.reference]).toEqual([
      { instanceId: '1' },
      null,
      { instanceId: '3' },
    ]);
    expect(errors).toMatchObject([
      {
        path: ['instances', 'nodes', 1, 'reference'],
        extensions: { code: 'UPSTREAM_INVALID_RESPONSE' },
      },
    ]);
  });

  it('takes the types of no other form away', async () => {
    const fields = [{ name: 'title' }];
    const forms = [
      { idForm: 'one', fields },
      { name: 'without an id', fields },
      { idForm: 'two', fields },
    ];
    const { execute, lines } = await start(() => ({ body: forms }), { env: { TYPED_FORMS: '*' } });

    const { data } = await execute('{ __schema { types { name } } }');

    const names = data.__schema.types.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['One', 'Two']));
    expect(lines.join('\n')).toContain('the definition of a form is unreadable');
  });
});

describe('a platform that refuses long addresses', () => {
  const IDS = Array.from({ length: 100 }, (_, at) =>
    String(9_000_000_000_000_000_000n + BigInt(at * 7)),
  );
  const reference = { name: 'r', type: 'reference', reference: 'b' };
  const referring = IDS.map((id, at) => ({ idInstance: at + 1, values: { r: id } }));
  const lookUp = (url: string, search: string): ScriptedAnswer => {
    const ids = /in:([\d|]+)/.exec(search)?.[1]?.split('|');
    return ids
      ? { body: { items: toRows(ids), total: ids.length } }
      : { body: toRows([url.split('/').at(-1) ?? ''])[0] };
  };
  const answer =
    (status: number, longest: number) =>
    ({ url }: SeenRequest, query: URLSearchParams): ScriptedAnswer => {
      if (url === '/v1.0/forms/a') return { body: { idForm: 'a', fields: [reference] } };
      if (url.startsWith('/v1.0/forms/a/')) return { body: { items: referring, total: 100 } };
      if (url.length <= longest) return lookUp(url, query.get('search') ?? '');
      return { status, headers: { 'content-type': 'text/html' }, body: '<h1>404.15</h1>' };
    };
  const QUERY =
    '{ instances(formId: "a", first: 100) { nodes { reference(field: "r") { value(field: "title") } } } }';

  it.each([404, 414, 400])(
    'by %i has no absent records: they are looked up by 25, which counts in the cost',
    async (status) => {
      const { execute, url, seen, lines } = await start(answer(status, 900));
      const costs = async () => (await planOf(url, QUERY))?.calls.most;
      const before = await costs();

      const answers = [await execute(QUERY), await execute(QUERY)];

      for (const { data, errors } of answers) {
        expect(errors).toBeUndefined();
        expect(
          new Set(
            data.instances.nodes.map(
              (node: { reference: { value: string } }) => node.reference.value,
            ),
          ).size,
        ).toBe(100);
      }
      expect([before, await costs()]).toEqual([4, 6]);
      expect(seen.filter(({ url: path }) => path.length > 900)).toHaveLength(1);
      const reports = lines
        .map((line) => JSON.parse(line))
        .filter(({ msg }) => /search\.maxIds/.test(msg));
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
