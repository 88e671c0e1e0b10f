import { describe, expect, it } from 'vitest';

import { ChangingList, startChangingPlatform } from '../support/changing-platform.ts';
import { type Env, startGateway } from '../support/gateway.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';
import { writeDialect } from '../support/write-dialect.ts';

/** Starts a gateway before a platform whose pages have at most 50 rows, and that states no total. */
async function start(env: Env = {}) {
  const platform = await startChangingPlatform({ tells: 'nothing', longestPage: 50 });
  platform.held.list = new ChangingList(70);
  const gateway = await startGateway({ ...platform.env, LOG_LEVEL: 'warn', ...env });
  /** Reads a list with this number of rows, and returns how many come. Every third has the note 2. */
  const read = async (size: number, args = 'formId: "a", first: 100') => {
    platform.held.list = new ChangingList(size);
    for (const [index, row] of platform.held.list.rows.entries()) row.note = index % 3;
    const { instances } = await gateway.dataOf(`{ instances(${args}) { nodes { instanceId } } }`);
    return instances.nodes.length;
  };
  /** Returns page number and size of each list call since the last time. */
  const listCalls = () =>
    platform.seen.splice(0).flatMap(({ url }) => {
      const [, number, size] = /page-number=(\d+)&per-page=(\d+)/.exec(url) ?? [];
      return size === undefined ? [] : [`${number}/${size}`];
    });
  return { ...gateway, read, listCalls };
}

describe('a platform that gives 50 rows where more are requested, and does not announce more', () => {
  it('has types for each of its 70 forms', async () => {
    const { dataOf, listCalls } = await start({ TYPED_FORMS: '*' });

    const { __schema } = await dataOf('{ __schema { queryType { fields { name } } } }');

    const names: string[] = __schema.queryType.fields.map(({ name }: { name: string }) => name);
    expect(names.filter((name) => /^form\w*\d$/.test(name))).toHaveLength(70);
    expect(listCalls()).toEqual(['1/100', '2/50']);
  });

  it('gets a call for the rows after a short page until a longer page of that list was seen', async () => {
    const { read, listCalls } = await start();
    const driver = 'formId: "driver", first: 40';
    const where = 'where: [{ field: "note", operator: EQ, value: 2 }]';

    expect([await read(26, driver), listCalls()]).toEqual([26, ['1/40', '1/14', '1/2']]);
    expect([await read(26, driver), listCalls()]).toEqual([26, ['1/40', '1/14']]);
    await read(120, 'formId: "vehicle", first: 27');
    expect(listCalls()).toEqual(['1/27']);
    expect([await read(26, driver), listCalls()]).toEqual([26, ['1/40', '1/14']]);
    expect([await read(26, `${driver}, ${where}`), listCalls()]).toEqual([8, ['1/40']]);
  });

  it('hides no rows where the list was just as long as a page before, and has its maximum in the log once', async () => {
    const { read, logged } = await start();

    for (const size of [50, 90, 50, 100]) expect(await read(size)).toBe(size);

    const warnings = logged().filter(({ msg }) => /list\.maxPageSize/.test(msg));
    expect(warnings).toMatchObject([{ rows: 50 }]);
  });

  it('is believed where the dialect names a size', async () => {
    const UPSTREAM_DIALECT = writeDialect({ list: { maxPageSize: 50 } });
    const { read, listCalls } = await start({ UPSTREAM_DIALECT });

    for (const [size, calls] of [
      [49, 1],
      [50, 3],
      [90, 2],
    ] as const) {
      expect([await read(size), listCalls().length]).toEqual([size, calls]);
    }
  });
});

it.each([
  ['X-Total-Count', '120'],
  ['Content-Range', 'instances 0-19/120'],
])('a total is read from the header %s', async (name, value) => {
  const rows = Array.from({ length: 20 }, (_, index) => ({ idInstance: index + 1, values: {} }));
  const { env, seen } = await scriptPlatform(() => ({ headers: { [name]: value }, body: rows }));
  const { dataOf } = await startGateway(env);

  expect(
    await dataOf('{ instances(formId: "a", first: 20) { totalCount pageInfo { hasNextPage } } }'),
  ).toEqual({ instances: { totalCount: 120, pageInfo: { hasNextPage: true } } });
  expect(seen).toHaveLength(1);
});
