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
    const file = { instance };

    const bodies = await Promise.all([
      bodyOf(({ change }) => change(createFormIntance, { formId: 'a', values: VALUES }), file),
      bodyOf(({ change }) => change(updateFormIntance, { ...KEY, values: VALUES }), file),
      bodyOf(({ change }) => change(updateValuesOfFormIntance, { ...KEY, values: VALUES }), file),
    ]);

    expect(bodies).toEqual([body, body, body]);
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

  it.each<[what: string, written: string | null, input: object, body: unknown]>([
    ['its process and its values', 'values', { values: VALUES }, { ...PROCESS, values: VALUES }],
    ['its process and its values', null, { values: VALUES }, { ...PROCESS, ...VALUES }],
    ['its process alone where nothing else is given', 'values', {}, PROCESS],
    ['no flat value that overrides the process', null, { values: { idProcess: 'other' } }, PROCESS],
    [
      'attributes, which override neither the process nor the values',
      'values',
      { values: VALUES, attributes: ATTRIBUTES },
      { priority: 'high', ...PROCESS, values: VALUES },
    ],
  ])('has %s, written under %s', async (_what, written, input, body) => {
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
