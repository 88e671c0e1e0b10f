import { describe, expect, it } from 'vitest';

import { shareGateway, startGateway } from '../support/gateway.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';

const gateway = shareGateway({ TYPED_FORMS: '*' });

it('a generic mutation is validated by the platform alone', async () => {
  await gateway.execute(`mutation { updateInstance(input: {
    formId: "purchase-request", instanceId: 41, values: { amount: -1 }
  }) { __typename } }`);

  expect(gateway.calls.filter((call) => call !== 'getToken')).toEqual([
    'updateValuesOfFormIntance 400',
  ]);
});

describe('a rejection by the platform', () => {
  const fields = ['needed by', 'total'].map((name) => ({ name, type: 'text' }));
  const TYPED =
    'mutation { updateOrder(input: { instanceId: 1, values: { neededBy: "x", total: "1" } }) { __typename } }';
  const GENERIC = `mutation {
    updateInstance(input: { formId: "order", instanceId: 1, values: { total: "1" } }) { __typename }
  }`;

  async function start(body: object) {
    const { env } = await scriptPlatform(({ method }) =>
      method === 'GET' ? { body: [{ idForm: 'order', fields }] } : { status: 400, body },
    );
    return startGateway({ ...env, TYPED_FORMS: '*' });
  }
  const violation = (field: string, message: string) => ({
    path: ['input', 'values', field],
    constraint: 'platform',
    message,
  });
  const [PAST, MUCH] = ['is in the past', 'is too much'];

  it.each([
    {
      violations: [
        { field: 'needed by', message: PAST },
        { field: 'total', message: MUCH },
      ],
    },
    {
      errors: [
        { name: 'needed by', description: PAST },
        { name: 'total', description: MUCH },
        'x',
        {},
      ],
    },
    { fieldErrors: { 'needed by': [PAST, 'really'], total: MUCH, other: 7 } },
  ])(
    'that names fields lists them as violations, by the mutation’s field names: %o',
    async (named) => {
      const { execute } = await start({ message: 'Not accepted.', errorCode: 'INVALID', ...named });

      const [typed, generic] = [await execute(TYPED), await execute(GENERIC)];

      const upstream = { status: 400, errorCode: 'INVALID' };
      const violations = [violation('neededBy', PAST), violation('total', MUCH)];
      expect(typed.errors).toMatchObject([
        { message: 'Not accepted.', extensions: { code: 'BAD_USER_INPUT', upstream, violations } },
      ]);
      expect(generic.errors?.[0]?.extensions['violations']).toEqual([
        violation('needed by', PAST),
        violation('total', MUCH),
      ]);
    },
  );

  it('by the sandbox names the field of a reference to a missing instance', async () => {
    const { errors } = await gateway.execute(`mutation {
      createExpense(input: { values: {
        description: "Taxi", amount: "1", category: TRAVEL, spentOn: "2026-01-31", employee: 999
      } }) { __typename }
    }`);

    const violations = [violation('employee', 'must be the idInstance of an existing "employee"')];
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', violations } }]);
  });

  it('that names no field has no violations', async () => {
    const { execute } = await start({ message: 'Not accepted.' });

    expect((await execute(TYPED)).errors?.[0]?.extensions).not.toHaveProperty('violations');
  });
});
