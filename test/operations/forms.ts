import { denied, NEVER_BROKEN, type Rows } from './row.ts';

export const FORMS = {
  getForms: {
    args: { where: [], orderBy: [], pageNumber: 1, perPage: 10 },
    query: '{ forms { totalCount } }',
    path: '/forms',
    success: 200,
    cells: {
      bad: { path: '/forms?page-number=0', errorCode: 'INVALID_QUERY' },
      denied: denied('robot'),
      missing: { not: 'its path has no id' },
      broken: NEVER_BROKEN,
    },
  },
  getForm: {
    args: { formId: 'a' },
    query: '{ form(formId: "expense") { name } }',
    path: '/forms/expense',
    success: 200,
    cells: {
      bad: { not: 'it takes nothing but an id' },
      denied: denied('robot'),
      missing: { path: '/forms/unknown', errorCode: 'FORM_NOT_FOUND' },
      broken: NEVER_BROKEN,
    },
  },
} as const satisfies Rows;
