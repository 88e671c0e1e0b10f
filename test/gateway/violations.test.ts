import { describe, expect, it, onTestFinished } from 'vitest';

import { startCountedGateway, startGateway } from '../support/gateway.ts';
import { type ScriptedAnswer, scriptPlatform } from '../support/scripted-platform.ts';

const UPDATE = `mutation ($values: JSONObject!) {
  updateInstance(input: { formId: "purchase-request", instanceId: 41, values: $values }) { __typename }
}`;
const CREATE = `mutation ($values: JSONObject!) {
  createInstance(input: { formId: "purchase-request", values: $values }) { __typename }
}`;

describe('a generic mutation of a form with types', () => {
  it('reports all invalid values, by the platform’s field names, without a call', async () => {
    const { execute, calls } = await startCountedGateway({ TYPED_FORMS: '*' });
    calls.splice(0);

    const values = { title: 'x'.repeat(121), amount: -1, quantity: '0', status: 'OPEN', requester: null };
    const { errors } = await execute(UPDATE, { values });

    expect(errors).toMatchObject([{ path: ['updateInstance'], extensions: { code: 'BAD_USER_INPUT' } }]);
    const found = errors?.[0]?.extensions['violations'] as { path: string[]; constraint: string; limit?: number }[];
    expect(found.map(({ path, constraint, limit }) => [path.join('.'), constraint, limit]).sort()).toEqual([
      ['input.values.amount', 'min', 0],
      ['input.values.quantity', 'min', 1],
      ['input.values.requester', 'required', undefined],
      ['input.values.status', 'choices', undefined],
      ['input.values.title', 'maxLength', 120],
    ]);
    expect(calls).toEqual([]);
  });

  it('reports missing required values of a new instance, and leaves values of the wrong type to the platform', async () => {
    const { execute, calls } = await startCountedGateway({ TYPED_FORMS: '*' });
    calls.splice(0);

    const missing = await execute(CREATE, { values: { title: 'Desks' } });
    const other = await execute(UPDATE, { values: { amount: 'much', supplier: 'ACME' } });

    const found = missing.errors?.[0]?.extensions['violations'];
    expect(found).toContainEqual({
      path: ['input', 'values', 'amount'],
      constraint: 'required',
      message: 'must have a value',
    });
    expect(other.errors).toMatchObject([{ extensions: { upstream: { status: 400 } } }]);
    expect(calls).toEqual(['updateValuesOfFormIntance 400']);
  });

  it('is validated by the platform alone where the form has no types', async () => {
    const { execute, calls } = await startCountedGateway({ TYPED_FORMS: 'none' });

    await execute(UPDATE, { values: { amount: -1 } });

    expect(calls.filter((call) => call !== 'getToken')).toEqual(['updateValuesOfFormIntance 400']);
  });
});

describe('a rejection by the platform', () => {
  const FORM = {
    idForm: 'order',
    fields: [
      { name: 'needed by', type: 'text' },
      { name: 'total', type: 'text' },
    ],
  };

  async function start(body: object) {
    const { env } = await scriptPlatform(
      ({ method }): ScriptedAnswer => (method === 'GET' ? { body: [FORM] } : { status: 400, body }),
    );
    const gateway = await startGateway({ ...env, TYPED_FORMS: '*' });
    onTestFinished(gateway.close);
    return gateway.execute;
  }
  const TYPED =
    'mutation { updateOrder(input: { instanceId: 1, values: { neededBy: "x", total: "1" } }) { __typename } }';
  const GENERIC = `mutation {
    updateInstance(input: { formId: "order", instanceId: 1, values: { total: "1" } }) { __typename }
  }`;

  it.each([
    {
      violations: [
        { field: 'needed by', message: 'is in the past' },
        { field: 'total', message: 'is too much' },
      ],
    },
    {
      errors: [
        { name: 'needed by', description: 'is in the past' },
        { name: 'total', description: 'is too much' },
        'x',
        {},
      ],
    },
    { fieldErrors: { 'needed by': ['is in the past', 'really'], total: 'is too much', other: 7 } },
  ])('that names fields lists them as violations, by the mutation’s field names: %o', async (named) => {
    const execute = await start({ message: 'Not accepted.', errorCode: 'INVALID', ...named });

    const [typed, generic] = [await execute(TYPED), await execute(GENERIC)];

    const violation = (field: string, message: string) => ({
      path: ['input', 'values', field],
      constraint: 'platform',
      message,
    });
    expect(typed.errors).toMatchObject([
      {
        message: 'Not accepted.',
        extensions: {
          code: 'BAD_USER_INPUT',
          upstream: { status: 400, errorCode: 'INVALID' },
          violations: [violation('neededBy', 'is in the past'), violation('total', 'is too much')],
        },
      },
    ]);
    expect(generic.errors?.[0]?.extensions['violations']).toEqual([
      violation('needed by', 'is in the past'),
      violation('total', 'is too much'),
    ]);
  });

  it('that names no field has no violations', async () => {
    const execute = await start({ message: 'Not accepted.' });

    expect((await execute(TYPED)).errors?.[0]?.extensions).not.toHaveProperty('violations');
  });
});
