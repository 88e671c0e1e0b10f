import { type Contract, denied, NEVER_BROKEN } from './contract.ts';
import { anExpense } from './support.ts';

const badQuery = { path: '/forms?page-number=0', errorCode: 'INVALID_QUERY' };
const noForm = { path: '/forms/unknown', errorCode: 'FORM_NOT_FOUND' };
const noInstance = { path: '/forms/expense/instances/999', errorCode: 'INSTANCE_NOT_FOUND' };
const badValues = { body: anExpense({ amount: 'much' }), errorCode: 'INVALID_VALUES' };

/** Forms and their instances. */
export const FORM_CONTRACT = {
  getForms: {
    method: 'GET',
    path: '/forms',
    success: 200,
    isRead: true,
    cells: { bad: badQuery, denied: denied('robot'), missing: { not: 'its path has no id' }, broken: NEVER_BROKEN },
  },
  getForm: {
    method: 'GET',
    path: '/forms/expense',
    success: 200,
    isRead: true,
    cells: {
      bad: { not: 'it takes nothing but an id' },
      denied: denied('robot'),
      missing: noForm,
      broken: NEVER_BROKEN,
    },
  },
  getFormIntances: {
    method: 'GET',
    path: '/forms/expense/instances',
    success: 200,
    isRead: true,
    cells: {
      bad: { path: '/forms/expense/instances?search=nope=eq:1', errorCode: 'INVALID_QUERY' },
      denied: denied('robot'),
      missing: { ...noForm, path: '/forms/unknown/instances' },
      broken: NEVER_BROKEN,
    },
  },
  createFormIntance: {
    method: 'POST',
    path: '/forms/expense/instances',
    body: anExpense(),
    success: 201,
    isRead: false,
    cells: {
      bad: badValues,
      denied: denied('reader'),
      missing: { ...noForm, path: '/forms/unknown/instances' },
      broken: NEVER_BROKEN,
    },
  },
  getFormIntance: {
    method: 'GET',
    path: '/forms/expense/instances/3',
    success: 200,
    isRead: true,
    cells: {
      bad: { not: 'it takes nothing but ids' },
      denied: denied('robot'),
      missing: noInstance,
      broken: NEVER_BROKEN,
    },
  },
  updateFormIntance: {
    method: 'PUT',
    path: '/forms/expense/instances/3',
    body: anExpense(),
    success: 202,
    isRead: false,
    cells: { bad: badValues, denied: denied('reader'), missing: noInstance, broken: NEVER_BROKEN },
  },
  updateValuesOfFormIntance: {
    method: 'PATCH',
    path: '/forms/expense/instances/3',
    body: anExpense(),
    success: 202,
    isRead: false,
    cells: { bad: badValues, denied: denied('reader'), missing: noInstance, broken: NEVER_BROKEN },
  },
  deleteFormIntance: {
    method: 'DELETE',
    path: '/forms/expense/instances/NEW',
    success: 204,
    isRead: false,
    cells: {
      bad: { not: 'it takes nothing but ids' },
      denied: denied('clerk'),
      missing: noInstance,
      broken: NEVER_BROKEN,
    },
  },
} as const satisfies Record<string, Contract>;
