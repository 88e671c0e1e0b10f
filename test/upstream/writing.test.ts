import { describe, expect, it } from 'vitest';

import { dialectOf, openPlatform } from './support/open.ts';
import type { CaseInput } from './support/operations.ts';

const KEY = { formId: 'a', instanceId: '1' };
const VALUES = { amount: 3, city: null };
const SEQUENCE = [
  { name: 'amount', value: 3 },
  { name: 'city', value: null },
];

/** Gives the body of the call that `ask` makes. */
async function bodyOf(
  call: (upstream: Awaited<ReturnType<typeof openPlatform>>['upstream']) => Promise<unknown>,
  file = {},
) {
  const platform = await openPlatform(
    { status: 200, body: { idInstance: 1, idCase: 1, items: [] } },
    { dialect: dialectOf(file) },
  );
  await call(platform.upstream);
  return JSON.parse(platform.requests[0]?.body || 'null');
}

describe('the values of an instance', () => {
  it.each([
    { written: 'values', body: { values: VALUES } },
    { written: 'flat', body: VALUES },
    { written: 'sequence', body: SEQUENCE },
  ])('are written as $written by create, replace and update alike', async ({ written, body }) => {
    const file = { instance: { written } };

    const bodies = await Promise.all([
      bodyOf(({ instances }) => instances.create('a', VALUES), file),
      bodyOf(({ instances }) => instances.replace(KEY, VALUES), file),
      bodyOf(({ instances }) => instances.update(KEY, VALUES), file),
    ]);

    expect(bodies).toEqual([body, body, body]);
  });

  it('keep a member named __proto__', async () => {
    const values = JSON.parse('{"__proto__":{"a":1},"b":2}');

    for (const written of ['values', 'flat', 'sequence']) {
      const body = await bodyOf(({ instances }) => instances.update(KEY, values), { instance: { written } });
      expect(JSON.stringify(body)).toContain('__proto__');
    }
  });
});

describe('the body of startCase', () => {
  const start = (input: CaseInput, file = {}) => bodyOf(({ cases }) => cases.start('approval', input), file);

  it.each([
    { written: 'values', body: { idProcess: 'approval', values: VALUES } },
    { written: 'flat', body: { idProcess: 'approval', ...VALUES } },
    { written: 'sequence', body: { idProcess: 'approval', values: SEQUENCE } },
  ])('has the process and its values written as $written', async ({ written, body }) => {
    expect(await start({ values: VALUES }, { case: { written } })).toEqual(body);
  });

  it('merges the attributes in, which override neither the process nor the values', async () => {
    const attributes = { priority: 'high', idProcess: 'other', values: 'none' };

    expect(await start({ values: VALUES, attributes })).toEqual({
      priority: 'high',
      idProcess: 'approval',
      values: VALUES,
    });
  });

  it('has no flat value that overrides the process', async () => {
    const body = await start({ values: { idProcess: 'other' } }, { case: { written: 'flat' } });

    expect(body).toEqual({ idProcess: 'approval' });
  });

  it('is only the process where nothing else is given', async () => {
    expect(await start({})).toEqual({ idProcess: 'approval' });
  });
});

describe('the body of executeCurrentActivity', () => {
  it('has values and attributes, and is an object where there are none', async () => {
    const execute = (input: CaseInput) => bodyOf(({ cases }) => cases.execute('1', '2', input));

    expect(await execute({ values: VALUES, attributes: { comment: 'fine' } })).toEqual({
      comment: 'fine',
      values: VALUES,
    });
    expect(await execute({})).toEqual({});
  });
});

describe('the body of execute', () => {
  const RULE = { component: 'r', version: '1' };
  const PARAMETERS = [{ name: 'amount', type: 'number', value: 3 }, { name: 'city' }];

  it('is a list of name, type and value', async () => {
    expect(await bodyOf(({ rules }) => rules.execute(RULE, PARAMETERS))).toEqual([
      { name: 'amount', type: 'number', value: 3 },
      { name: 'city', value: null },
    ]);
  });

  it('is wrapped and named as the dialect says', async () => {
    const file = { rule: { wrap: 'input', parameterName: 'key', parameterType: 'kind', parameterValue: 'is' } };

    expect(await bodyOf(({ rules }) => rules.execute(RULE, PARAMETERS.slice(0, 1)), file)).toEqual({
      input: [{ key: 'amount', kind: 'number', is: 3 }],
    });
  });

  it('is absent for getParameters', async () => {
    expect(await bodyOf(({ rules }) => rules.read(RULE))).toBeNull();
  });
});
