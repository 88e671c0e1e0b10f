import { describe, expect, it } from 'vitest';

import { codesOf, shareWithRoles, startWithRoles, withBuyer } from './support.ts';

const { ask, calls } = await shareWithRoles({
  TYPED_RULES: 'discount-rate-eu@2.1,approval-level@1.0',
});

const mutate = (field: string, input: object, selection: string, caller = 'web') => {
  const type = `${field.charAt(0).toUpperCase()}${field.slice(1)}Input!`;
  return ask(caller, `mutation ($input: ${type}) { ${field}(input: $input) { ${selection} } }`, {
    input,
  });
};

const REQUEST = { title: 'Chairs', amount: '10', quantity: 1, status: 'DRAFT', requester: '6' };
const GENERIC_REQUEST = { ...REQUEST, amount: 10, status: 'draft', requester: 6 };
const TITLE = { instanceId: '1', values: { title: 'Desks' } };
const EXPENSE = {
  description: 'Train',
  amount: '10',
  category: 'TRAVEL',
  employee: '6',
  spentOn: '2026-03-01',
};

describe('a role', () => {
  it('makes the changes that it may, typed and generic, one and many', async () => {
    const answers = [
      await mutate('createPurchaseRequest', { values: REQUEST }, 'instance { title }'),
      await mutate('updatePurchaseRequest', TITLE, 'instance { title }'),
      await mutate(
        'createInstance',
        { formId: 'purchase-request', values: GENERIC_REQUEST },
        'instance { values }',
      ),
      await mutate(
        'updateInstance',
        { formId: 'purchase-request', ...TITLE },
        'instance { values }',
      ),
      await mutate('updatePurchaseRequests', { items: [TITLE] }, 'done results { error { code } }'),
      await mutate('deleteEmployee', { instanceId: '5' }, 'deletedId', 'desk'),
    ];

    expect(answers.map(codesOf)).toEqual([[], [], [], [], [], []]);
  });

  it.each([
    ['replacePurchaseRequest', { instanceId: '1', values: { title: 3 } }],
    ['deletePurchaseRequest', { instanceId: '1' }],
    ['createSupplier', { values: { name: 7, country: 'much too long for a country' } }],
    ['createSuppliers', { items: [{ values: {} }] }],
    ['deletePurchaseRequests', { items: [] }],
    ['replaceInstance', { formId: 'purchase-request', instanceId: '1', values: {} }],
    ['deleteInstance', { formId: 'purchase-request', instanceId: 'x' }],
    ['deleteInstances', { formId: 'purchase-request', items: [{ instanceId: '1' }] }],
    ['createInstance', { formId: 'employee', values: {} }],
    ['updateInstances', { formId: 'employee', items: [{ instanceId: '1', values: {} }] }],
  ])('is refused %s before its values are looked at, and nothing is sent', async (field, input) => {
    const answer = await mutate(field, input, '__typename');

    expect(answer.status).toBe(403);
    expect(codesOf(answer)).toEqual([['FORBIDDEN', field]]);
    expect(JSON.stringify(answer)).not.toContain('violations');
    expect(calls).toEqual([]);
  });

  it('is refused all changes of a mutation where it may not make one', async () => {
    const answer = await ask(
      'web',
      'mutation { updatePurchaseRequest(input: { instanceId: "1", values: { title: "C" } }) { instance { id } } deleteSupplier(input: { instanceId: "1" }) { deletedId } }',
    );

    expect(codesOf(answer)).toEqual([['FORBIDDEN', 'deleteSupplier']]);
    expect(calls).toEqual([]);
  });

  it('is refused before a plan is made', async () => {
    const plan = { 'x-caseway-explain': 'plan' };
    const [refused, planned] = [
      await ask('web', '{ employees { totalCount } }', {}, plan),
      await ask('web', '{ suppliers { totalCount } }', {}, plan),
    ];

    expect(codesOf(refused)).toEqual([['FORBIDDEN', 'employees']]);
    expect(refused.extensions).toBeUndefined();
    expect(planned.extensions?.['plan']).toBeDefined();
  });

  it('gets only the ids of instances that it creates and may not read', async () => {
    const own = await mutate(
      'createExpense',
      { values: EXPENSE },
      'instance { id formId instanceId }',
    );
    const read = await mutate('createExpense', { values: EXPENSE }, 'instance { id description }');
    const many = await mutate(
      'createExpenses',
      { items: [{ values: EXPENSE }] },
      'done results { instance { instanceId values } }',
    );

    expect(own.data.createExpense.instance).toMatchObject({
      formId: 'expense',
      instanceId: expect.any(String),
    });
    expect(codesOf(read).map(([code]) => code)).toEqual(['FORBIDDEN']);
    expect(JSON.stringify(read.data)).not.toContain('Train');
    expect(many.data.createExpenses.done).toBe(1);
    expect(JSON.stringify(many.data)).not.toContain('Train');
    expect(calls.filter((call) => call.startsWith('get'))).toEqual([]);
  });

  it('gets no outcome that is kept for a key from when it might do more', async () => {
    const withKey = (idempotencyKey: string) =>
      mutate('createExpense', { values: EXPENSE, idempotencyKey }, 'instance { id description }');
    const [first, again] = [await withKey('one'), await withKey('one')];

    expect(again.data).toEqual(first.data);
    expect(JSON.stringify(again)).not.toContain('Train');
    expect(calls.filter((call) => call === 'createFormIntance')).toHaveLength(1);
  });
});

describe('cases and rules', () => {
  const START = { process: 'purchase-approval', values: { title: 'Chairs', amount: 100 } };
  const CASE = 'case { caseId activity { activityId } }';
  const rule = (component: string, version: string) => ({
    component,
    version,
    parameters: [{ name: 'amount', value: 2000 }],
  });

  it('are started, moved and executed by a role that may', async () => {
    const started = await mutate('startCase', START, CASE);
    const { caseId, activity } = started.data.startCase.case;
    const moved = await mutate(
      'executeActivity',
      { caseId, activityId: activity.activityId, values: {} },
      CASE,
    );
    const executed = await mutate(
      'executeRule',
      rule('discount-rate-eu', '2.1'),
      'outputs { name value }',
    );
    const typed = await mutate(
      'executeDiscountRateEuV2_1',
      { parameters: { amount: '2000' } },
      'outputs { name }',
    );
    const known = await ask(
      'web',
      '{ rule(component: "discount-rate-eu", version: "2.1") { parameters { name } } }',
    );

    expect([started, moved, executed, typed, known].map(codesOf)).toEqual([[], [], [], [], []]);
  });

  it.each([
    ['another process', 'startCase', { ...START, process: 'other' }, 'web'],
    ['a process of a role without any', 'startCase', START, 'nightly'],
    [
      'activities of a role that may only start',
      'executeActivity',
      { caseId: '1', activityId: '1002' },
      'desk',
    ],
    ['another rule', 'executeRule', rule('approval-level', '1.0'), 'web'],
    ['another version', 'executeRule', rule('discount-rate-eu', '2.2'), 'web'],
    ['a typed rule', 'executeApprovalLevelV1_0', { parameters: { amount: 'x' } }, 'web'],
  ])('refuse %s, and nothing is sent', async (_what, field, input, caller) => {
    const answer = await mutate(field, input, '__typename', caller);

    expect(codesOf(answer)).toEqual([['FORBIDDEN', field]]);
    expect(calls).toEqual([]);
  });

  it('take free members of the body from a role that may send them', async () => {
    const withAttributes = (caller: string) =>
      mutate('startCase', { ...START, attributes: { priority: 1 } }, 'case { caseId }', caller);
    const [web, desk] = [await withAttributes('web'), await withAttributes('desk')];

    expect(codesOf(web)).toEqual([['FORBIDDEN', 'startCase']]);
    expect(codesOf(desk)).toEqual([]);
    expect(calls).toEqual(['startCase']);
  });

  it('compare a rule as its path names it', async () => {
    const other = await startWithRoles({}, withBuyer({ rules: ['discount-rate@eu-2.1'] }));
    const read = (component: string, version: string) =>
      other.ask('web', `{ rule(component: "${component}", version: "${version}") { name } }`);

    expect(codesOf(await read('discount-rate-eu', '2.1'))).toEqual([]);
    expect(codesOf(await read('discount-rate', '2.1'))).toEqual([['FORBIDDEN', 'rule']]);
  });
});

describe('expected values', () => {
  const EXPECTED = { instanceId: '1', values: {}, expected: { quantity: 1 } };
  const WRITER = { forms: { 'purchase-request': ['update', 'delete'] } };

  it('need the right to read the form, since they tell what it has', async () => {
    const other = await startWithRoles({}, withBuyer(WRITER));
    const ask = async (query: string) => codesOf(await other.ask('web', query));

    const codes = [
      await ask(`mutation { updatePurchaseRequest(input: {
        instanceId: 1, values: {}, expected: { quantity: 1 }
      }) { __typename } }`),
      await ask(`mutation { deleteInstance(input: {
        formId: "purchase-request", instanceId: 1, expected: { quantity: 1 }
      }) { deletedId } }`),
    ];
    const bulk = await other.ask(
      'web',
      `mutation { updatePurchaseRequests(input: { items: [
        { instanceId: 1, values: {}, expected: { quantity: 1 } }
        { instanceId: 2, values: {}, expected: { quantity: 1 } }
      ] }) { results { error { code current { id } } } } }`,
    );

    expect(codes).toEqual([
      [['FORBIDDEN', 'updatePurchaseRequest']],
      [['FORBIDDEN', 'deleteInstance']],
    ]);
    expect(bulk.data.updatePurchaseRequests.results).toEqual(
      Array(2).fill({ error: { code: 'FORBIDDEN', current: null } }),
    );
    expect(other.calls).toEqual([]);
  });

  it('are compared for a role that may read the form', async () => {
    const answer = await mutate('updatePurchaseRequest', EXPECTED, 'instance { title }');

    expect(codesOf(answer)).toEqual([['CONFLICT', 'updatePurchaseRequest']]);
    expect(calls).toEqual(['getFormIntance']);
  });
});
