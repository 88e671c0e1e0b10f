import { describe, expect, it } from 'vitest';

import {
  codesOf,
  EXPENSE,
  expectForbidden,
  shareWithRoles,
  startWithRoles,
  withBuyer,
} from './support.ts';

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

describe('a role', () => {
  it('makes the changes that it may, typed and generic, one and many', async () => {
    const formId = 'purchase-request';
    const changes = [
      ['createPurchaseRequest', { values: REQUEST }, 'instance { title }'],
      ['updatePurchaseRequest', TITLE, 'instance { title }'],
      ['createInstance', { formId, values: GENERIC_REQUEST }, 'instance { values }'],
      ['updateInstance', { formId, ...TITLE }, 'instance { values }'],
      ['updatePurchaseRequests', { items: [TITLE] }, 'done results { error { code } }'],
    ] as const;

    for (const [field, input, selection] of changes)
      expect((await mutate(field, input, selection)).errors).toBeUndefined();
    const deleted = await mutate('deleteEmployee', { instanceId: '5' }, 'deletedId', 'desk');
    expect(deleted.errors).toBeUndefined();
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
    expectForbidden(answer, field);
    expect(JSON.stringify(answer)).not.toContain('violations');
    expect(calls).toEqual([]);
  });

  it('is refused all changes of a mutation where it may not make one', async () => {
    const answer = await ask(
      'web',
      'mutation { updatePurchaseRequest(input: { instanceId: "1", values: { title: "C" } }) { instance { id } } deleteSupplier(input: { instanceId: "1" }) { deletedId } }',
    );

    expectForbidden(answer, 'deleteSupplier');
    expect(calls).toEqual([]);
  });

  it('is refused before a plan is made', async () => {
    const explain = (query: string) => ask('web', query, {}, { 'x-caseway-explain': 'plan' });
    const refused = await explain('{ employees { totalCount } }');

    expectForbidden(refused, 'employees');
    expect(refused.extensions).toBeUndefined();
    expect((await explain('{ suppliers { totalCount } }')).extensions?.['plan']).toBeDefined();
  });

  it('gets only the ids of instances that it creates and may not read', async () => {
    const create = (selection: string) =>
      mutate('createExpense', { values: EXPENSE }, `instance { ${selection} }`);
    const own = await create('id formId instanceId');
    const read = await create('id description');
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
  const OUTPUTS = 'outputs { name value }';
  const rule = (component: string, version: string) => ({
    component,
    version,
    parameters: [{ name: 'amount', value: 2000 }],
  });

  it('are started, moved and executed by a role that may', async () => {
    const started = await mutate('startCase', START, CASE);
    const { caseId, activity } = started.data.startCase.case;
    const next = { caseId, activityId: activity.activityId, values: {} };
    const moved = await mutate('executeActivity', next, CASE);
    const executed = await mutate('executeRule', rule('discount-rate-eu', '2.1'), OUTPUTS);
    const parameters = { amount: '2000' };
    const typed = await mutate('executeDiscountRateEuV2_1', { parameters }, OUTPUTS);
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

    expectForbidden(answer, field);
    expect(calls).toEqual([]);
  });

  it('take free members of the body from a role that may send them', async () => {
    const withAttributes = (caller: string) =>
      mutate('startCase', { ...START, attributes: { priority: 1 } }, 'case { caseId }', caller);
    const [web, desk] = [await withAttributes('web'), await withAttributes('desk')];

    expectForbidden(web, 'startCase');
    expect(codesOf(desk)).toEqual([]);
    expect(calls).toEqual(['startCase']);
  });

  it('compare a rule as its path names it', async () => {
    const other = await startWithRoles({}, withBuyer({ rules: ['discount-rate@eu-2.1'] }));
    const read = (component: string, version: string) =>
      other.ask('web', `{ rule(component: "${component}", version: "${version}") { name } }`);

    expect(codesOf(await read('discount-rate-eu', '2.1'))).toEqual([]);
    expectForbidden(await read('discount-rate', '2.1'), 'rule');
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
