import { describe, expect, it } from 'vitest';

import type { Upstream } from '../../src/upstream/index.ts';
import { executeCurrentActivity, startCase } from '../../src/upstream/resources/cases.ts';
import {
  createFormIntance,
  updateFormIntance,
  updateValuesOfFormIntance,
} from '../../src/upstream/resources/instances.ts';
import { execute, getParameters } from '../../src/upstream/resources/rules.ts';
import { dialectOf, openPlatform } from './support/open.ts';

const KEY = { formId: 'a', instanceId: '1' };
const VALUES = { amount: 3, city: null };

/** Returns the body of a call to a platform with this dialect. */
async function bodyOf(call: (upstream: Upstream) => Promise<unknown>, file = {}) {
  const answer = { status: 200, body: { idInstance: 1, idCase: 1, items: [] } };
  const { upstream, requests } = await openPlatform(answer, { dialect: dialectOf(file) });
  await call(upstream);
  return JSON.parse(requests[0]?.body || 'null');
}

describe('the values of an instance', () => {
  it.each([
    { instance: {}, body: { values: VALUES } },
    { instance: { written: 'data' }, body: { data: VALUES } },
    { instance: { written: null }, body: VALUES },
  ])('are written as $body by create, replace and update alike', async ({ instance, body }) => {
    for (const operation of [createFormIntance, updateFormIntance, updateValuesOfFormIntance]) {
      const write = ({ change }: Upstream) =>
        change<never, unknown>(operation, { ...KEY, values: VALUES } as never);

      expect(await bodyOf(write, { instance })).toEqual(body);
    }
  });

  it.each(['values', null])('keep a member named __proto__, written under %s', async (written) => {
    const values = JSON.parse('{"__proto__":{"a":1},"b":2}');

    const body = await bodyOf(({ change }) => change(createFormIntance, { formId: 'a', values }), {
      instance: { written },
    });

    expect(JSON.stringify(body)).toContain('__proto__');
  });
});

describe('the body of startCase', () => {
  const PROCESS = { idProcess: 'approval' };
  const ATTRIBUTES = { priority: 'high', idProcess: 'other', values: 'none' };

  it.each<[written: string | null, input: object, body: object]>([
    ['values', {}, PROCESS],
    ['values', { values: VALUES }, { ...PROCESS, values: VALUES }],
    [null, { values: VALUES }, { ...PROCESS, ...VALUES }],
    // Neither values nor attributes override the process.
    [null, { values: { idProcess: 'other' } }, PROCESS],
    [
      'values',
      { values: VALUES, attributes: ATTRIBUTES },
      { priority: 'high', ...PROCESS, values: VALUES },
    ],
  ])('has its values under %s: %j is sent as %j', async (written, input, body) => {
    const start = ({ change }: Upstream) => change(startCase, { process: 'approval', ...input });

    expect(await bodyOf(start, { case: { written } })).toEqual(body);
  });
});

describe('the body of executeCurrentActivity', () => {
  it.each<[object, object]>([
    [
      { values: VALUES, attributes: { comment: 'fine' } },
      { comment: 'fine', values: VALUES },
    ],
    [{}, {}],
  ])(
    'has values and attributes, and is an object where there are none: %j',
    async (input, body) => {
      const activity = { caseId: '1', activityId: '2', ...input };

      expect(await bodyOf(({ change }) => change(executeCurrentActivity, activity))).toEqual(body);
    },
  );
});

describe('the body of execute', () => {
  const RULE = { component: 'r', version: '1' };
  const AMOUNT = { name: 'amount', type: 'number', value: 3 };

  it('is a list of name, type and value', async () => {
    const parameters = [AMOUNT, { name: 'city' }];

    const body = await bodyOf(({ change }) => change(execute, { ...RULE, parameters }));

    expect(body).toEqual([AMOUNT, { name: 'city', value: null }]);
  });

  it('is absent for getParameters', async () => {
    expect(await bodyOf(({ read }) => read(getParameters, RULE))).toBeNull();
  });
});
