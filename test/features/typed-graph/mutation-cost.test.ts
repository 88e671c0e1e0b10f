import { describe, expect, it } from 'vitest';

import { startCountedGateway } from '../../support/gateway.ts';
import { planOf } from '../../support/plan.ts';

const TYPED = { TYPED_FORMS: '*', TYPED_RULES: 'approval-level@1.0' };
const VALUES = '{ name: "Acme", country: AT, active: true }';

const CHANGES: readonly [typed: string, generic: string][] = [
  [
    `createSupplier(input: { values: ${VALUES} }) { instance { id name } }`,
    'createInstance(input: { formId: "supplier", values: {} }) { instance { id name: value(field: "name") } }',
  ],
  [
    'updateSupplier(input: { instanceId: 1, values: { name: "A" } }) { instance { name } }',
    'updateInstance(input: { formId: "supplier", instanceId: 1, values: {} }) { instance { name: value(field: "name") } }',
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

    const [plan, ofGeneric] = [
      await planOf(url, `mutation { change: ${typed} }`),
      await planOf(url, `mutation { change: ${generic} }`),
    ];

    expect(plan).toEqual(ofGeneric);
    expect(plan).toHaveProperty('steps.0.field', 'change');
    expect(calls).toEqual([]);
  });
});
