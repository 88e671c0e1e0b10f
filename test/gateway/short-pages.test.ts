import { describe, expect, it } from 'vitest';

import { startBoth } from '../support/different-platform/gateway.ts';
import { startGateway } from '../support/gateway.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';

const VEHICLES = (args: string) =>
  `{ instances(formId: "vehicle", ${args}) { pageInfo { hasNextPage endCursor } nodes { instanceId } } }`;

describe('a platform that gives 50 rows where more are asked for, and does not say that more follow', () => {
  /** A gateway before it, without a setting. `listCalls` gives page number and size of each list call. */
  const start = async (env: Readonly<Record<string, string>> = {}) => {
    const { callsBy, execute } = await startBoth({ isCapped: true }, env);
    const listCalls = () => {
      const pages = callsBy('GET').flatMap((path) => /page-number=(\d+)&per-page=(\d+)/.exec(path)?.slice(1) ?? []);
      const calls = Array.from({ length: pages.length / 2 }, (_, at) => pages.slice(at * 2, at * 2 + 2).join('/'));
      return calls;
    };
    return { execute, listCalls };
  };

  it('has types for each of its 70 forms', async () => {
    const { execute, listCalls } = await start({ TYPED_FORMS: '*' });

    const { data } = await execute('{ __schema { queryType { fields { name } } } }');

    const names: string[] = data.__schema.queryType.fields.map(({ name }: { name: string }) => name);
    expect(names.filter((name) => /^depot\d+$/.test(name))).toHaveLength(68);
    expect(names).toEqual(expect.arrayContaining(['driver', 'vehicle']));
    expect(listCalls()).toEqual(['1/100', '2/50']);
  });

  it('lists all of its forms in two calls', async () => {
    const { execute, listCalls } = await start();

    const { data } = await execute('{ forms(first: 100) { pageInfo { hasNextPage } nodes { formId } } }');

    expect(new Set(data.forms.nodes.map(({ formId }: { formId: string }) => formId)).size).toBe(70);
    expect(data.forms.pageInfo.hasNextPage).toBe(false);
    expect(listCalls()).toEqual(['1/100', '2/50']);
  });

  it('lists 120 instances page by page, and looks where the row stands now that a page as long as its own follows', async () => {
    const { execute, listCalls } = await start();

    const { data: first } = await execute(VEHICLES('first: 100'));
    const { endCursor, hasNextPage } = first.instances.pageInfo;
    const { data: second } = await execute(VEHICLES(`first: 50, after: "${endCursor}"`));

    expect(hasNextPage).toBe(true);
    expect(listCalls()).toEqual(['1/100', '2/50', '2/50', '3/50']);
    expect(second.instances.pageInfo.hasNextPage).toBe(false);
    const ids = [...first.instances.nodes, ...second.instances.nodes].map(({ instanceId }) => Number(instanceId));
    expect(ids).toEqual(Array.from({ length: 120 }, (_, index) => 101 + index));
  });

  it('serves pages that are a little longer than its own', async () => {
    const { execute, listCalls } = await start();

    const { data, errors } = await execute(VEHICLES('first: 51'));

    expect(errors).toBeUndefined();
    expect(data.instances.nodes).toHaveLength(51);
    expect(listCalls()).toEqual(['1/51', '2/50']);
  });

  it('serves a page in the middle first', async () => {
    const { execute } = await start();

    const { data } = await execute(VEHICLES('first: 60, page: 2'));

    expect(data.instances.nodes.map(({ instanceId }: { instanceId: string }) => Number(instanceId))).toEqual(
      Array.from({ length: 60 }, (_, index) => 161 + index),
    );
  });

  it('lists few instances in one call once the length of its pages is known', async () => {
    const { execute, listCalls } = await start();
    await execute(VEHICLES('first: 100'));

    const { data } = await execute('{ instances(formId: "driver", first: 100) { nodes { instanceId } } }');

    expect(data.instances.nodes).toHaveLength(26);
    expect(listCalls().slice(2)).toEqual(['1/50']);
  });

  it('is asked what follows a short list once', async () => {
    const { execute, listCalls } = await start();
    const drivers = '{ instances(formId: "driver", first: 40) { nodes { instanceId } } }';

    for (const _time of [1, 2, 3]) expect((await execute(drivers)).data.instances.nodes).toHaveLength(26);

    expect(listCalls()).toEqual(['1/40', '2/26', '1/40', '1/40']);
  });
});

describe('many short lists of one operation, none of which has a total', () => {
  it('cost one call more together', async () => {
    const ids = Array.from({ length: 30 }, (_, index) => index + 1);
    const { env, seen } = await scriptPlatform(({ url }) => {
      const { pathname, searchParams } = new URL(url, 'http://platform');
      const rows = pathname.endsWith('/instances')
        ? ids.slice(0, 5).map((id) => ({ idInstance: id, values: {} }))
        : ids.map((id) => ({ idForm: `f${id}` }));
      const size = Number(searchParams.get('per-page'));
      const start = (Number(searchParams.get('page-number')) - 1) * size;
      return { body: rows.slice(start, start + size) };
    });
    const { execute, close } = await startGateway(env);

    const { data } = await execute('{ forms(first: 40) { nodes { instances(first: 10) { nodes { instanceId } } } } }');
    await close();

    expect(
      data.forms.nodes.flatMap(({ instances }: { instances: { nodes: object[] } }) => instances.nodes),
    ).toHaveLength(150);
    expect(seen.filter(({ url }) => url.includes('/instances'))).toHaveLength(30 + 1);
    expect(seen).toHaveLength(2 + 30 + 1);
  });
});

describe('a platform that tells its total in a header', () => {
  it.each([
    ['X-Total-Count', '120'],
    ['Content-Range', 'instances 0-19/120'],
  ])('has it read from %s', async (name, value) => {
    const rows = Array.from({ length: 20 }, (_, index) => ({ idInstance: index + 1, values: {} }));
    const { env, seen } = await scriptPlatform(() => ({ headers: { [name]: value }, body: rows }));
    const { execute, close } = await startGateway(env);

    const { data } = await execute('{ instances(formId: "a", first: 20) { totalCount pageInfo { hasNextPage } } }');
    await close();

    expect(data.instances).toEqual({ totalCount: 120, pageInfo: { hasNextPage: true } });
    expect(seen).toHaveLength(1);
  });
});

describe('a platform whose rows do not fit the pages that were asked for', () => {
  it('fails with what was asked, what came, and what to set, in the answer and in the log', async () => {
    const { env } = await scriptPlatform(({ url }) => {
      const perPage = Number(new URL(url, 'http://platform').searchParams.get('per-page'));
      const rows = Array.from({ length: perPage - 1 }, (_, index) => ({ idInstance: index + 1, values: {} }));
      return { body: { items: rows, total: 500 } };
    });
    const lines: string[] = [];
    const { execute, close } = await startGateway({ ...env, LOG_LEVEL: 'info' }, (line) => lines.push(line));

    const { errors } = await execute('{ instances(formId: "a", first: 20) { totalCount } }');
    await close();

    const says = /18 of the 19 rows .*list\.maxPageSize/;
    expect(errors).toMatchObject([
      { message: expect.stringMatching(says), extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } },
    ]);
    expect(lines.find((line) => line.includes('UPSTREAM_INVALID_RESPONSE'))).toMatch(says);
  });
});
