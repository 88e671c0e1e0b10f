import { describe, expect, it } from 'vitest';

import { startCountedGateway } from '../../support/gateway.ts';

const QUERY = `query Requests($order: [PurchaseRequestOrder!]) {
  purchaseRequests(orderBy: $order) { totalCount }
}`;
const SECRET = 'a value of mine';

const ONE = { constraint: 'kind', message: 'must have exactly one field' };
const WRONG: readonly [what: string, order: unknown, violations: readonly object[]][] = [
  ['no field', [{}], [{ path: ['orderBy', 0], ...ONE }]],
  ['two fields', [{ amount: 'ASC' }, { amount: 'ASC', title: 'DESC' }], [{ path: ['orderBy', 1], ...ONE }]],
  ['a lone value with two fields', { amount: 'ASC', title: null }, [{ path: ['orderBy'], ...ONE }]],
  [
    'a field that is null',
    [{ amount: null }],
    [{ path: ['orderBy', 0, 'amount'], constraint: 'required', message: 'must have a value' }],
  ],
  [
    'two fields, one of a value that is none',
    [{ amount: SECRET, title: 'ASC' }],
    [
      { path: ['orderBy', 0], ...ONE },
      { path: ['orderBy', 0, 'amount'], constraint: 'choices', message: 'must be one of the choices' },
    ],
  ],
];

describe.each(['on', 'off'])('a wrong value of a @oneOf variable, with PLAYGROUND=%s', (playground) => {
  const env = { TYPED_FORMS: '*', PLAYGROUND: playground };

  it.each(WRONG)('is refused by path the first time, prepared and by a plan: %s', async (_what, order, violations) => {
    const { url, execute, calls } = await startCountedGateway(env);
    await execute(QUERY, { order: [{ amount: 'ASC' }] });
    const fresh = `${QUERY} # A document that was not seen before.`;
    calls.splice(0);
    const plan = async () => {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-caseway-explain': 'plan' },
        body: JSON.stringify({ query: QUERY, variables: { order } }),
      });
      return { status: response.status, ...((await response.json()) as object) };
    };

    const answers = [
      await execute(QUERY, { order }),
      await execute(fresh, { order }),
      await execute(fresh, { order }),
      // Where the schema is hidden, so are plans.
      ...(playground === 'on' ? [await plan()] : []),
    ];

    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 400,
        errors: [{ extensions: { code: 'BAD_USER_INPUT', violations } }],
      });
      if (playground === 'off') expect(JSON.stringify(answer)).not.toContain(SECRET);
    }
    expect(calls).toEqual([]);
  });
});
