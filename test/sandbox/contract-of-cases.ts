import { type Contract, denied, NEVER_BROKEN } from './contract.ts';

const ruleUnknown = { not: 'an unknown rule is a 400 of its own' };
const amount = (value: unknown) => [{ name: 'amount', type: 'decimal', value }];
const aCase = { idProcess: 'purchase-approval', values: { title: 'Bench vices', amount: 566 } };

/** Cases and rules. */
export const CASE_CONTRACT = {
  startCase: {
    method: 'POST',
    path: '/cases',
    body: aCase,
    success: 201,
    isRead: false,
    cells: {
      bad: { body: { ...aCase, values: {} }, errorCode: 'INVALID_VALUES' },
      denied: denied('reader'),
      missing: { body: { idProcess: 'unknown' }, errorCode: 'PROCESS_NOT_FOUND' },
      broken: NEVER_BROKEN,
    },
  },
  executeCurrentActivity: {
    method: 'PUT',
    path: '/cases/CASE/activities/9007199254740995/execute',
    body: { values: {} },
    success: 202,
    isRead: false,
    cells: {
      bad: { path: '/cases/CASE/activities/1002/execute', errorCode: 'ACTIVITY_NOT_CURRENT' },
      denied: denied('reader'),
      missing: { path: '/cases/1/activities/1002/execute', errorCode: 'CASE_NOT_FOUND' },
      broken: NEVER_BROKEN,
    },
  },
  getParameters: {
    method: 'PUT',
    path: '/rules/approval-level-1.0/get-parameters',
    success: 200,
    isRead: true,
    cells: {
      bad: { path: '/rules/unknown-1.0/get-parameters', errorCode: 'RULE_NOT_FOUND' },
      denied: denied('reader'),
      missing: ruleUnknown,
      broken: NEVER_BROKEN,
    },
  },
  execute: {
    method: 'PUT',
    path: '/rules/approval-level-1.0/execute',
    body: amount(100),
    success: 200,
    isRead: false,
    cells: {
      bad: { body: amount('much'), errorCode: 'INVALID_PARAMETERS' },
      denied: denied('reader'),
      missing: ruleUnknown,
      broken: {
        path: '/rules/budget-share-1.0/execute',
        errorCode: 'INTERNAL_ERROR',
        body: [...amount(100), { name: 'budget', type: 'decimal', value: 0 }],
      },
    },
  },
} as const satisfies Record<string, Contract>;
