import type {
  CreatePurchaseRequestValues,
  PurchaseRequestStatus,
  RequestValuesFragment,
  UpdatePurchaseRequestValues,
} from '../__generated__/graphql.ts';
import { graphql } from '../__generated__/index.ts';

graphql(`
  fragment RequestValues on PurchaseRequest {
    id
    title
    amount
    quantity
    status
    supplier {
      id
    }
    requester {
      id
    }
    neededBy
    urgent
    notes
  }
`);

/** What the controls of a form hold: texts, `''` where there is no value, and references by their `id`. */
export interface Values {
  readonly title: string;
  readonly amount: string;
  readonly quantity: string;
  readonly status: PurchaseRequestStatus;
  readonly supplier: string;
  readonly requester: string;
  readonly neededBy: string;
  readonly urgent: boolean;
  readonly notes: string;
}

export type Field = keyof Values;

export const NEW_VALUES: Values = {
  title: '',
  amount: '',
  quantity: '1',
  status: 'DRAFT',
  supplier: '',
  requester: '',
  neededBy: '',
  urgent: false,
  notes: '',
};

/** The values of a purchase request for the controls of a form. */
export function toValues(request: RequestValuesFragment): Values {
  return {
    title: request.title ?? '',
    amount: request.amount ?? '',
    quantity: request.quantity ?? '',
    status: request.status ?? 'DRAFT',
    supplier: request.supplier?.id ?? '',
    requester: request.requester?.id ?? '',
    neededBy: request.neededBy ?? '',
    urgent: request.urgent ?? false,
    notes: request.notes ?? '',
  };
}

/** The same for the input of a mutation, where `null` empties a field. */
export function toInput(values: Values): CreatePurchaseRequestValues;
export function toInput(values: Partial<Values>): UpdatePurchaseRequestValues;
export function toInput(values: Partial<Values>): UpdatePurchaseRequestValues {
  const emptied = OPTIONAL.filter((field) => values[field] === '').map((field) => [field, null]);
  return { ...values, ...Object.fromEntries(emptied) };
}

/** A purchase request as it will read once the values are saved. */
export function withValues(request: RequestValuesFragment, values: Partial<Values>): RequestValuesFragment {
  const { supplier, requester, ...others } = values;
  return {
    ...request,
    ...toInput(others),
    ...(supplier !== undefined && { supplier: supplier ? { __typename: 'Supplier', id: supplier } : null }),
    ...(requester !== undefined && { requester: { __typename: 'Employee', id: requester } }),
  } as RequestValuesFragment;
}

/** The fields that may be empty. */
const OPTIONAL = ['supplier', 'neededBy', 'notes'] as const satisfies readonly Field[];
