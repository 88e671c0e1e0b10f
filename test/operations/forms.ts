import { type Rows, refused } from './row.ts';

export const FORMS = {
  getForms: {
    args: { where: [], orderBy: [], pageNumber: 1, perPage: 10 },
    answer: { items: [] },
    query: '{ forms { totalCount } }',
    path: '/forms',
    success: 200,
    cells: refused({
      bad: { path: '/forms?page-number=0', errorCode: 'INVALID_QUERY' },
      denied: 'robot',
      missing: { not: 'its path has no id' },
    }),
  },
  getForm: {
    args: { formId: 'a' },
    answer: { idForm: 'a' },
    query: '{ form(formId: "expense") { name } }',
    path: '/forms/expense',
    success: 200,
    cells: refused({
      bad: { not: 'it takes nothing but an id' },
      denied: 'robot',
      missing: { path: '/forms/unknown', errorCode: 'FORM_NOT_FOUND' },
    }),
  },
} as const satisfies Rows;
