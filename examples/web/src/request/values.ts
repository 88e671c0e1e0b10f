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

/** The values of a form's controls: texts, `''` if empty, and references by their `id`. */
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

/** Converts a purchase request to the values of the controls. */
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

/** Converts the controls' values to the input of a mutation, where `null` clears a field. */
export function toInput(values: Values): CreatePurchaseRequestValues;
export function toInput(values: Partial<Values>): UpdatePurchaseRequestValues;
export function toInput(values: Partial<Values>): UpdatePurchaseRequestValues {
  const emptied = OPTIONAL.filter((field) => values[field] === '').map((field) => [field, null]);
  return { ...values, ...Object.fromEntries(emptied) };
}

/** Returns a purchase request with the values that it will have after saving. */
export function withValues(
  request: RequestValuesFragment,
  values: Partial<Values>,
): RequestValuesFragment {
  const { supplier, requester, ...plainValues } = values;
  const changed = { ...request, ...toInput(plainValues) } as Record<string, unknown>;
  if (supplier !== undefined) {
    changed['supplier'] = supplier === '' ? null : { __typename: 'Supplier', id: supplier };
  }
  if (requester !== undefined) changed['requester'] = { __typename: 'Employee', id: requester };
  return changed as RequestValuesFragment;
}

/** The fields that may be empty. */
const OPTIONAL = ['supplier', 'neededBy', 'notes'] as const satisfies readonly Field[];
