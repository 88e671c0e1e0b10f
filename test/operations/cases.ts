import { type Rows, refused } from './row.ts';

const aCase = { idProcess: 'purchase-approval', values: { title: 'Bench vices', amount: 566 } };

export const CASES = {
  startCase: {
    args: { process: 'p' },
    answer: { idCase: 1 },
    query:
      'mutation { startCase(input: { process: "purchase-approval", values: { title: "Lamps", amount: 120 }, KEY }) { case { caseId } } }',
    path: '/cases',
    body: aCase,
    success: 201,
    cells: refused({
      bad: { body: { ...aCase, values: {} }, errorCode: 'INVALID_VALUES' },
      denied: 'reader',
      missing: { body: { idProcess: 'unknown' }, errorCode: 'PROCESS_NOT_FOUND' },
    }),
  },
  executeCurrentActivity: {
    args: { caseId: '1', activityId: '2' },
    answer: { idCase: 1 },
    created: { path: '/cases', body: aCase },
    query:
      'mutation { executeActivity(input: { caseId: "NEW", activityId: "9007199254740995", KEY }) { case { caseId } } }',
    path: '/cases/NEW/activities/9007199254740995/execute',
    body: { values: {} },
    success: 202,
    cells: refused({
      bad: { path: '/cases/NEW/activities/1002/execute', errorCode: 'ACTIVITY_NOT_CURRENT' },
      denied: 'reader',
      missing: { path: '/cases/1/activities/1002/execute', errorCode: 'CASE_NOT_FOUND' },
    }),
  },
} as const satisfies Rows;
