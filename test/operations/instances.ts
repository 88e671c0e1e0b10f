import { type Rows, refused } from './row.ts';

/** Returns a complete expense with the test's changes. */
export const anExpense = (changes: object = {}) => ({
  values: {
    description: 'Train to Lisbon',
    amount: 64.4,
    category: 'travel',
    employee: 6,
    spentOn: '2026-07-01',
    ...changes,
  },
});

const LIST = '/forms/expense/instances';
const ONE = `${LIST}/3`;
const KEY = { formId: 'a', instanceId: '1' };
const VALUES =
  '{ description: "Train", amount: 64.4, category: "travel", employee: 6, spentOn: "2026-07-01" }';
const noForm = { path: '/forms/unknown/instances', errorCode: 'FORM_NOT_FOUND' };
const noInstance = { path: `${LIST}/999`, errorCode: 'INSTANCE_NOT_FOUND' };
const badValues = { body: anExpense({ amount: 'much' }), errorCode: 'INVALID_VALUES' };

export const INSTANCES = {
  getFormIntances: {
    args: { formId: 'a', where: [], orderBy: [], pageNumber: 1, perPage: 10 },
    answer: { items: [] },
    query: '{ instances(formId: "expense") { totalCount } }',
    path: LIST,
    success: 200,
    cells: refused({
      bad: { path: `${LIST}?search=nope=eq:1`, errorCode: 'INVALID_QUERY' },
      denied: 'robot',
      missing: noForm,
    }),
  },
  createFormIntance: {
    args: { formId: 'a', values: {} },
    answer: { idInstance: 1 },
    query: `mutation { createInstance(input: { formId: "expense", values: ${VALUES}, KEY }) { instance { instanceId } } }`,
    path: LIST,
    body: anExpense(),
    success: 201,
    cells: refused({ bad: badValues, denied: 'reader', missing: noForm }),
  },
  getFormIntance: {
    args: KEY,
    answer: { idInstance: 1 },
    query: '{ instance(formId: "expense", instanceId: 3) { values } }',
    path: ONE,
    success: 200,
    cells: refused({
      bad: { not: 'it takes nothing but ids' },
      denied: 'robot',
      missing: noInstance,
    }),
  },
  updateFormIntance: {
    args: { ...KEY, values: {} },
    answer: { idInstance: 1 },
    query: `mutation { replaceInstance(input: { formId: "expense", instanceId: 3, values: ${VALUES}, KEY }) { __typename } }`,
    path: ONE,
    body: anExpense(),
    success: 202,
    isSilent: true,
    cells: refused({ bad: badValues, denied: 'reader', missing: noInstance }),
  },
  updateValuesOfFormIntance: {
    args: { ...KEY, values: {} },
    answer: { idInstance: 1 },
    query:
      'mutation { updateInstance(input: { formId: "expense", instanceId: 3, values: {}, KEY }) { __typename } }',
    path: ONE,
    body: anExpense(),
    success: 202,
    isSilent: true,
    cells: refused({ bad: badValues, denied: 'reader', missing: noInstance }),
  },
  deleteFormIntance: {
    args: KEY,
    answer: { idInstance: 1 },
    created: { path: LIST, body: anExpense() },
    query:
      'mutation { deleteInstance(input: { formId: "expense", instanceId: "GLOBAL(Instance expense NEW)", KEY }) { deletedId } }',
    path: `${LIST}/NEW`,
    success: 204,
    isSilent: true,
    cells: refused({
      bad: { not: 'it takes nothing but ids' },
      denied: 'clerk',
      missing: noInstance,
    }),
  },
} as const satisfies Rows;
