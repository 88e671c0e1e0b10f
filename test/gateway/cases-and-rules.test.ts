import { describe, expect, it } from 'vitest';

import { startCountedGateway } from '../support/gateway.ts';

const START = `mutation ($values: JSONObject!) {
  startCase(input: { process: "purchase-approval", values: $values }) { case { caseId activity { activityId name } record } }
}`;
const EXECUTE = `mutation ($caseId: ID!, $activityId: ID!, $values: JSONObject) {
  executeActivity(input: { caseId: $caseId, activityId: $activityId, values: $values }) {
    case { caseId activity { activityId name } record }
  }
}`;
const REQUEST = { title: 'Desk lamps', amount: 120 };

describe('cases', () => {
  it('start at an activity and advance to the next', async () => {
    const { execute, calls } = await startCountedGateway();

    const { data: started, errors } = await execute(START, { values: REQUEST });
    expect(errors).toBeUndefined();
    const { caseId, activity } = started.startCase.case;
    const { data: executed } = await execute(EXECUTE, { caseId, activityId: activity.activityId });

    expect(BigInt(caseId)).toBeGreaterThan(2n ** 53n);
    expect(executed.executeActivity.case).toMatchObject({ caseId, record: { idCase: caseId } });
    expect(executed.executeActivity.case.activity?.activityId).not.toBe(activity.activityId);
    expect(calls).toEqual(['getToken', 'startCase', 'executeCurrentActivity']);
  });

  it('reject an activity that is not the current one, with the platform’s message', async () => {
    const { execute } = await startCountedGateway();
    const { data } = await execute(START, { values: REQUEST });

    const { errors } = await execute(EXECUTE, { caseId: data.startCase.case.caseId, activityId: '1' });

    expect(errors).toMatchObject([{ path: ['executeActivity'] }]);
    expect(['BAD_USER_INPUT', 'NOT_FOUND']).toContain(errors?.[0]?.extensions['code']);
  });
});

describe('rules', () => {
  const rule = (component: string, version: string) =>
    `{ rule(component: "${component}", version: "${version}") { component version name descriptiveName parameters { name type value } } }`;

  it('list their parameters', async () => {
    const { execute } = await startCountedGateway();

    const { data } = await execute(rule('discount-rate-eu', '2.1'));

    expect(data.rule).toMatchObject({
      component: 'discount-rate-eu',
      version: '2.1',
      descriptiveName: expect.any(String),
    });
    expect(data.rule.parameters.length).toBeGreaterThan(0);
  });

  it('are executed with parameters', async () => {
    const { execute } = await startCountedGateway();

    const { data } = await execute(`mutation {
      executeRule(input: { component: "approval-level", version: "1.0", parameters: [{ name: "amount", type: "decimal", value: 250.5 }] }) {
        outputs { name type value }
      }
    }`);

    expect(data.executeRule.outputs).toContainEqual({ name: 'level', type: 'integer', value: 1 });
  });
});
