import { describe, expect, it } from 'vitest';

import { mapRules } from '../../../src/features/typed-graph/rules.ts';
import { startCountedGateway } from '../../support/gateway.ts';
import { type ScriptedAnswer, scriptPlatform } from '../../support/scripted-platform.ts';
import { dialectOf } from '../../upstream/support/open.ts';
import { startLiveGateway } from './support/start.ts';

it('a configured rule is executed by a mutation of its own, with one call and typed parameters', async () => {
  const { execute, dataOf, calls } = await startCountedGateway({
    TYPED_FORMS: '*',
    TYPED_RULES: 'approval-level@1.0, discount-rate-eu@2.1',
  });
  expect(calls.splice(0).sort()).toEqual([
    'getForms',
    'getParameters',
    'getParameters',
    'getToken',
  ]);
  const discount = (parameters: string) =>
    execute(
      `mutation { executeDiscountRateEuV2_1(input: { parameters: ${parameters} }) { outputs { value } } }`,
    );

  const { executeApprovalLevelV1_0: approval } = await dataOf(
    'mutation { executeApprovalLevelV1_0(input: { parameters: { amount: "6000.50" } }) { outputs { name type value } } }',
  );

  expect(approval.outputs).toEqual([
    { name: 'level', type: 'integer', value: 2 },
    { name: 'approver', type: 'text', value: 'director' },
  ]);
  expect(calls.splice(0)).toEqual(['execute']);
  const whole = await discount('{ amount: 10000, orderedOn: "2026-01-01", isPartner: true }');
  expect(whole.data.executeDiscountRateEuV2_1.outputs).toEqual([
    { value: 0.08 },
    { value: '2026-01-31' },
  ]);
  expect((await discount('{ amount: 10000, orderedOn: "tomorrow" }')).errors).toMatchObject([
    { message: 'This must be a date, such as 2026-01-31.', extensions: { code: 'BAD_USER_INPUT' } },
  ]);
  // The platform reports missing parameters.
  expect((await discount('{ isPartner: true }')).errors).toMatchObject([
    { extensions: { code: 'RULE_UNAVAILABLE' } },
  ]);
  expect(calls).toEqual(['execute', 'execute 400']);
});

it('a rule that cannot be mapped stays generic with a reason in the log until its parameters can be read', async () => {
  let rule: ScriptedAnswer = { status: 400, body: { message: 'not published' } };
  const { env } = await scriptPlatform(({ url }) => {
    if (url.startsWith('/v1.0/forms')) return { body: [] };
    return url.startsWith('/v1.0/rules/a-')
      ? rule
      : { body: { parameters: [{ name: 'x' }, { name: 'x' }] } };
  });
  const { logged, fieldsOf, until } = await startLiveGateway({
    ...env,
    TYPED_RULES: 'a@1, twice@1',
  });
  const mutationsOfRules = async () =>
    (await fieldsOf('Mutation')).filter(
      (name) => name.startsWith('execute') && name.includes('V1'),
    );

  expect(logged().filter(({ rule: named }) => named !== undefined)).toMatchObject([
    {
      msg: 'a rule stays generic',
      rule: 'a@1',
      reason: 'the platform does not tell its parameters',
    },
    { msg: 'a rule stays generic', rule: 'twice@1', field: 'x' },
  ]);
  expect(await fieldsOf('Mutation')).toContain('executeRule');
  expect(await mutationsOfRules()).toEqual([]);

  rule = { body: { parameters: [{ name: 'x', type: 'integer' }] } };
  await until(async () => (await mutationsOfRules()).length === 1);
});

describe('the name of a rule', () => {
  const nameRules = (
    keys: readonly { readonly component: string; readonly version: string }[],
    taken: string[] = [],
  ) =>
    mapRules({
      keys,
      known: keys.map((key) => ({ ...key, parameters: [], definition: {} })),
      dialect: dialectOf(),
      taken: new Set(taken),
    }).rules.map(({ names: { field } }) => field);

  it.each([
    ['approval-level', '1.0', 'executeApprovalLevelV1_0'],
    ['discount_rate', '10', 'executeDiscountRateV10'],
    ['Approval level', '1.0', 'executeApprovalLevelV1_0'],
    ['approval-level', '1.0-beta', 'executeApprovalLevelV1_0_beta'],
    ['審査', '1', 'executeRuleV1'],
  ])('%s %s is %s', (component, version, name) => {
    expect(nameRules([{ component, version }])).toEqual([name]);
  });

  it('gets a suffix where another rule or the rest of the graph claims it', () => {
    const keys = ['a-b', 'a_b', 'c', 'd'].map((component) => ({ component, version: '1' }));

    expect(nameRules(keys, ['Mutation.executeCV1'])).toEqual([
      expect.stringMatching(/^executeABV1_[0-9a-f]{8}$/),
      expect.stringMatching(/^executeABV1_[0-9a-f]{8}$/),
      expect.stringMatching(/^executeCV1_[0-9a-f]{8}$/),
      'executeDV1',
    ]);
  });
});
