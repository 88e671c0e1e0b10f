import { describe, expect, it } from 'vitest';

import { ChangingList, startChangingPlatform } from '../support/changing-platform.ts';
import { startGateway } from '../support/gateway.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';
import { writeDialect } from '../support/write-dialect.ts';

describe('a platform that gives 50 rows where more are asked for, and does not say that more follow', () => {
  /** A gateway before it, without a setting. `listCalls` gives page number and size of each list call. */
  const start = async (env: Readonly<Record<string, string>> = {}) => {
    const platform = await startChangingPlatform({ tells: 'nothing', longestPage: 50 });
    platform.held.list = new ChangingList(70);
    const { execute } = await startGateway({ ...platform.env, ...env });
    /** Reads a list of a form, which has so many rows; every third has the note 2. */
    const read = async (formId: string, size: number, args: string) => {
      platform.held.list = new ChangingList(size);
      for (const [index, row] of platform.held.list.rows.entries()) row.note = index % 3;
      const { data } = await execute(`{ instances(formId: "${formId}", ${args}) { nodes { instanceId } } }`);
      return data.instances.nodes.map(({ instanceId }: { instanceId: string }) => Number(instanceId));
    };
    const listCalls = () =>
      platform.seen.flatMap(({ url }) => {
        const [, number, size] = /page-number=(\d+)&per-page=(\d+)/.exec(url) ?? [];
        return size === undefined ? [] : [`${number}/${size}`];
      });
    return { execute, read, listCalls };
  };

  it('has types for each of its 70 forms', async () => {
    const { execute, listCalls } = await start({ TYPED_FORMS: '*' });

    const { data } = await execute('{ __schema { queryType { fields { name } } } }');

    const names: string[] = data.__schema.queryType.fields.map(({ name }: { name: string }) => name);
    expect(names.filter((name) => /^form\w*\d$/.test(name))).toHaveLength(70);
    expect(listCalls()).toEqual(['1/100', '2/50']);
  });

  it('is asked what follows a short list as long as no page of it was longer', async () => {
    const { read, listCalls } = await start();

    for (const _time of [1, 2]) expect(await read('driver', 26, 'first: 40')).toHaveLength(26);
    await read('vehicle', 120, 'first: 27');
    await read('driver', 26, 'first: 40');
    const few = await read('driver', 26, 'first: 40, where: [{ field: "note", operator: EQ, value: 2 }]');

    expect(few).toHaveLength(8);
    expect(listCalls()).toEqual(['1/40', '1/14', '1/2', '1/40', '1/14', '1/27', '1/40', '1/14', '1/40']);
  });

  it('gives the right rows of a later page, which is longer than its own', async () => {
    const { read, listCalls } = await start();

    const ids = await read('vehicle', 120, 'first: 55, page: 3');

    expect(ids).toEqual(Array.from({ length: 10 }, (_, index) => 111 + index));
    expect(listCalls()).toEqual(['3/55', '1/55', '3/50']);
  });
});

describe('a platform that cuts its pages at 50 rows, of a list that changes', () => {
  const LIST = '{ instances(formId: "a", first: 100) { nodes { instanceId } pageInfo { hasNextPage } } }';
  const start = async (list: object = {}) => {
    const platform = await startChangingPlatform({ tells: 'nothing', longestPage: 50 });
    const lines: string[] = [];
    const env = { ...platform.env, LOG_LEVEL: 'warn', UPSTREAM_DIALECT: writeDialect({ list }) };
    const { execute } = await startGateway(env, (line) => lines.push(line));
    const read = async (size: number) => {
      platform.held.list = new ChangingList(size);
      return (await execute(LIST)).data.instances.nodes.length;
    };
    const warnings = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => /list\.maxPageSize/.test(msg));
    return { read, warnings, calls: () => platform.seen.splice(0).length };
  };

  it('hides no rows where the list was just as long as a page before, and has its maximum in the log once', async () => {
    const { read, warnings } = await start();

    expect([await read(50), await read(90), await read(50), await read(100)]).toEqual([50, 90, 50, 100]);
    expect(warnings()).toMatchObject([{ rows: 50 }]);
  });

  it('is believed where the dialect names a size', async () => {
    const { read, calls } = await start({ maxPageSize: 50 });

    expect([await read(49), calls(), await read(50), calls(), await read(90), calls()]).toEqual([49, 1, 50, 3, 90, 2]);
  });
});

it.each([
  ['X-Total-Count', '120'],
  ['Content-Range', 'instances 0-19/120'],
])('a total is read from the header %s', async (name, value) => {
  const rows = Array.from({ length: 20 }, (_, index) => ({ idInstance: index + 1, values: {} }));
  const { env, seen } = await scriptPlatform(() => ({ headers: { [name]: value }, body: rows }));
  const { execute } = await startGateway(env);

  const { data } = await execute('{ instances(formId: "a", first: 20) { totalCount pageInfo { hasNextPage } } }');

  expect(data.instances).toEqual({ totalCount: 120, pageInfo: { hasNextPage: true } });
  expect(seen).toHaveLength(1);
});

it('rows that do not fit the pages fail with what was asked, what came, and what to set, in the answer and in the log', async () => {
  const { env } = await scriptPlatform(({ url }) => {
    const perPage = Number(new URL(url, 'http://platform').searchParams.get('per-page'));
    const rows = Array.from({ length: perPage - 1 }, (_, index) => ({ idInstance: index + 1, values: {} }));
    return { body: { items: rows, total: 500 } };
  });
  const lines: string[] = [];
  const { execute } = await startGateway({ ...env, LOG_LEVEL: 'info' }, (line) => lines.push(line));

  const { errors } = await execute(
    '{ instances(formId: "a", first: 20, orderBy: [{ field: "name" }]) { totalCount } }',
  );

  const says = /18 of the 19 rows .*list\.maxPageSize/;
  expect(errors).toMatchObject([
    { message: expect.stringMatching(says), extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } },
  ]);
  expect(lines.find((line) => line.includes('UPSTREAM_INVALID_RESPONSE'))).toMatch(says);
});
