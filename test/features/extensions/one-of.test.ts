import { expect, it } from 'vitest';

import { postGraphql } from '../../support/gateway.ts';
import { startExtended } from './support/start.ts';

const EXTENSION = `export default {
  typeDefs: \`
    enum Direction { ASC DESC }
    input Order @oneOf { amount: Direction, title: Direction }
    extend type Query { sorted(orderBy: [Order!]): Int }
  \`,
  resolvers: { Query: { sorted: () => 1 } },
};`;
const QUERY = 'query Sorted($order: [Order!]) { sorted(orderBy: $order) }';
const SECRET = 'a value of mine';

const ONE = { constraint: 'kind', message: 'must have exactly one field' };
const WRONG: readonly [what: string, order: unknown, violations: readonly object[]][] = [
  ['no field', [{}], [{ path: ['orderBy', 0], ...ONE }]],
  [
    'two fields',
    [{ amount: 'ASC' }, { amount: 'ASC', title: 'DESC' }],
    [{ path: ['orderBy', 1], ...ONE }],
  ],
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
      {
        path: ['orderBy', 0, 'amount'],
        constraint: 'choices',
        message: 'must be one of the choices',
      },
    ],
  ],
];

it.each(['on', 'off'])(
  'a wrong value of a @oneOf variable is refused by path the first time, prepared and by a plan, with PLAYGROUND=%s',
  async (mode) => {
    const { url, execute, calls } = await startExtended(
      { 'order.js': EXTENSION },
      { PLAYGROUND: mode },
    );
    await execute(QUERY, { order: [{ amount: 'ASC' }] });
    calls.splice(0);

    for (const [what, order, violations] of WRONG) {
      const fresh = `${QUERY} # A document that was not seen before: ${what}.`;
      const body = JSON.stringify({ query: QUERY, variables: { order } });
      const answers = [
        await execute(QUERY, { order }),
        await execute(fresh, { order }),
        await execute(fresh, { order }),
        // Where the schema is hidden, so are plans.
        ...(mode === 'on' ? [await postGraphql(url, body, { 'x-caseway-explain': 'plan' })] : []),
      ];

      const refused = {
        status: 400,
        errors: [{ extensions: { code: 'BAD_USER_INPUT', violations } }],
      };
      for (const answer of answers) expect(answer, what).toMatchObject(refused);
      if (mode === 'off') expect(JSON.stringify(answers)).not.toContain(SECRET);
    }
    expect(calls).toEqual([]);
  },
);
