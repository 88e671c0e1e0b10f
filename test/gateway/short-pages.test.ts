import { describe, expect, it } from 'vitest';

import { ChangingList, startChangingPlatform } from '../support/changing-platform.ts';
import { type Env, startGateway } from '../support/gateway.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';
import { writeDialect } from '../support/write-dialect.ts';

describe('a platform that gives 50 rows where more are requested, and does not announce more', () => {
  /**
   * A gateway before it, without a setting. `listCalls` gives page number and size of each list
   * call.
   */
  const start = async (env: Env = {}) => {
    const platform = await startChangingPlatform({ tells: 'nothing', longestPage: 50 });
    platform.held.list = new ChangingList(70);
    const { execute } = await startGateway({ ...platform.env, ...env });
    /** Reads a list with this number of rows. Every third row has the note 2. */
    const read = async (formId: string, size: number, args: string) => {
      platform.held.list = new ChangingList(size);
      for (const [index, row] of platform.held.list.rows.entries()) row.note = index % 3;
      const { data } = await execute(
        `{ instances(formId: "${formId}", ${args}) { nodes { instanceId } } }`,
      );
      return data.instances.nodes.map(({ instanceId }: { instanceId: string }) =>
        Number(instanceId),
      );
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

    const names: string[] = data.__schema.queryType.fields.map(
      ({ name }: { name: string }) => name,
    );
    expect(names.filter((name) => /^form\w*\d$/.test(name))).toHaveLength(70);
    expect(listCalls()).toEqual(['1/100', '2/50']);
  });

  it('gets a call for the rows after a short page until a longer page of that list was seen', async () => {
    const { read, listCalls } = await start();

    for (const _time of [1, 2]) expect(await read('driver', 26, 'first: 40')).toHaveLength(26);
    await read('vehicle', 120, 'first: 27');
    await read('driver', 26, 'first: 40');
    const few = await read(
      'driver',
      26,
      'first: 40, where: [{ field: "note", operator: EQ, value: 2 }]',
    );

    expect(few).toHaveLength(8);
    expect(listCalls()).toEqual([
      '1/40',
      '1/14',
      '1/2',
      '1/40',
      '1/14',
      '1/27',
      '1/40',
      '1/14',
      '1/40',
    ]);
  });
});

describe('a platform that cuts its pages at 50 rows, of a list that changes', () => {
  const LIST =
    '{ instances(formId: "a", first: 100) { nodes { instanceId } pageInfo { hasNextPage } } }';
  const start = async (list: object = {}) => {
    const platform = await startChangingPlatform({ tells: 'nothing', longestPage: 50 });
    const env = { ...platform.env, LOG_LEVEL: 'warn', UPSTREAM_DIALECT: writeDialect({ list }) };
    const { execute, logged } = await startGateway(env);
    const read = async (size: number) => {
      platform.held.list = new ChangingList(size);
      return (await execute(LIST)).data.instances.nodes.length;
    };
    const warnings = () => logged().filter(({ msg }) => /list\.maxPageSize/.test(msg));
    return { read, warnings, calls: () => platform.seen.splice(0).length };
  };

  it('hides no rows where the list was just as long as a page before, and has its maximum in the log once', async () => {
    const { read, warnings } = await start();

    expect([await read(50), await read(90), await read(50), await read(100)]).toEqual([
      50, 90, 50, 100,
    ]);
    expect(warnings()).toMatchObject([{ rows: 50 }]);
  });

  it('is believed where the dialect names a size', async () => {
    const { read, calls } = await start({ maxPageSize: 50 });

    expect([await read(49), calls(), await read(50), calls(), await read(90), calls()]).toEqual([
      49, 1, 50, 3, 90, 2,
    ]);
  });
});

it.each([
  ['X-Total-Count', '120'],
  ['Content-Range', 'instances 0-19/120'],
])('a total is read from the header %s', async (name, value) => {
  const rows = Array.from({ length: 20 }, (_, index) => ({ idInstance: index + 1, values: {} }));
  const { env, seen } = await scriptPlatform(() => ({ headers: { [name]: value }, body: rows }));
  const { execute } = await startGateway(env);

  const { data } = await execute(
    '{ instances(formId: "a", first: 20) { totalCount pageInfo { hasNextPage } } }',
  );

  expect(data.instances).toEqual({ totalCount: 120, pageInfo: { hasNextPage: true } });
  expect(seen).toHaveLength(1);
});
