import { type Rows, refused } from './row.ts';

const RULE = { component: 'r', version: '1' };
const unknown = { not: 'an unknown rule is a 400 of its own' };
const amount = (value: unknown) => [{ name: 'amount', type: 'decimal', value }];

export const RULES = {
  getParameters: {
    args: RULE,
    answer: { parameters: [] },
    query: '{ rule(component: "approval-level", version: "1.0") { parameters { name } } }',
    path: '/rules/approval-level-1.0/get-parameters',
    success: 200,
    cells: refused({
      bad: { path: '/rules/unknown-1.0/get-parameters', errorCode: 'RULE_NOT_FOUND' },
      denied: 'reader',
      missing: unknown,
    }),
  },
  execute: {
    args: { ...RULE, parameters: [] },
    answer: { parameters: [] },
    query: `mutation { executeRule(input: {
      component: "approval-level", version: "1.0", parameters: [{ name: "amount", type: "decimal", value: 250.5 }], KEY
    }) { outputs { name value } } }`,
    path: '/rules/approval-level-1.0/execute',
    body: amount(100),
    success: 200,
    cells: refused({
      bad: { body: amount('much'), errorCode: 'INVALID_PARAMETERS' },
      denied: 'reader',
      missing: unknown,
      broken: {
        path: '/rules/budget-share-1.0/execute',
        errorCode: 'INTERNAL_ERROR',
        body: [...amount(100), { name: 'budget', type: 'decimal', value: 0 }],
      },
    }),
  },
} as const satisfies Rows;
