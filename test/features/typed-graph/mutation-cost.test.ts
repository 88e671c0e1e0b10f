import { describe, expect, it } from 'vitest';

import { startCountedGateway } from '../../support/gateway.ts';

const TYPED = { TYPED_FORMS: '*', TYPED_RULES: 'approval-level@1.0' };
const VALUES = '{ name: "Acme", country: AT, active: true }';

const CHANGES: readonly [typed: string, generic: string][] = [
  [
    `createSupplier(input: { values: ${VALUES} }) { instance { id name } }`,
    'createInstance(input: { formId: "supplier", values: {} }) { instance { id name: value(field: "name") } }',
  ],
  [
    `createSupplier(input: { values: ${VALUES} }) { instance { instanceId } }`,
    'createInstance(input: { formId: "supplier", values: {} }) { instance { instanceId } }',
  ],
  [
    'updateSupplier(input: { instanceId: 1, values: { name: "A" } }) { instance { name } }',
    'updateInstance(input: { formId: "supplier", instanceId: 1, values: {} }) { instance { name: value(field: "name") } }',
  ],
  [
    'replaceSupplier(input: { instanceId: 1, values: {}, idempotencyKey: "k" }) { __typename }',
    'replaceInstance(input: { formId: "supplier", instanceId: 1, values: {}, idempotencyKey: "k" }) { __typename }',
  ],
  [
    'deleteSupplier(input: { instanceId: 1 }) { deletedId }',
    'deleteInstance(input: { formId: "supplier", instanceId: 1 }) { deletedId }',
  ],
  [
    'executeApprovalLevelV1_0(input: { parameters: {} }) { outputs { name } }',
    'executeRule(input: { component: "approval-level", version: "1.0", parameters: [] }) { outputs { name } }',
  ],
];

describe('a typed mutation', () => {
  it.each(CHANGES)('%s costs as much as the generic one', async (typed, generic) => {
    const { url, calls } = await startCountedGateway(TYPED);
    calls.splice(0);
    const planOf = async (change: string) => {
      const headers = { 'content-type': 'application/json', 'x-caseway-explain': 'plan' };
      const body = JSON.stringify({ query: `mutation { change: ${change} }` });
      const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body });
      return ((await response.json()) as { extensions: { plan: object } }).extensions.plan;
    };

    const plan = await planOf(typed);

    expect(plan).toEqual(await planOf(generic));
    expect(plan).toHaveProperty('steps.0.field', 'change');
    expect(calls).toEqual([]);
  });

  it('gives equal responses for a new and a prepared document', async () => {
    const fresh = await startCountedGateway(TYPED);
    const known = await startCountedGateway(TYPED);
    const change = `mutation ($values: UpdateSupplierValues!) {
      updateSupplier(input: { instanceId: 1, values: $values }) { instance { name rating country locationNumber } }
    }`;
    const all = [
      { rating: '4.5' },
      { country: 'SE', rating: 3 },
      { locationNumber: 9007199254740992 },
      { name: 'Öl & Co' },
    ];

    for (const [index, values] of [...all, ...all].entries()) {
      const expected = await fresh.execute(`${change} # ${index}`, { values });
      const { errors, ...answer } = await known.execute(change, { values });
      expect({ ...answer, isRefused: errors !== undefined }).toEqual({
        status: expected.status,
        ...('data' in expected && { data: expected.data }),
        isRefused: expected.errors !== undefined,
      });
    }
    expect(known.calls).toEqual(fresh.calls);
  });
});
