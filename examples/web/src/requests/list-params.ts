import type { PurchaseRequestStatus, RequestsQueryVariables } from '../__generated__/graphql.ts';

export const PAGE_SIZE = 20;

export const STATUSES: readonly PurchaseRequestStatus[] = [
  'DRAFT',
  'SUBMITTED',
  'APPROVED',
  'REJECTED',
];

/** The columns that can order the list. */
export const COLUMNS = {
  title: { label: 'Title', field: 'TITLE' },
  amount: { label: 'Amount', field: 'AMOUNT' },
  neededBy: { label: 'Needed by', field: 'NEEDED_BY' },
  status: { label: 'Status', field: 'STATUS' },
} as const;
export type Column = keyof typeof COLUMNS;

/**
 * The filter and order of the list. They are in the address, so that a list can be linked to and
 * Back returns to it.
 */
export interface ListParams {
  readonly status: PurchaseRequestStatus | undefined;
  readonly title: string;
  readonly minAmount: string;
  readonly column: Column;
  readonly isDescending: boolean;
}

/** Reads an address, which may contain anything. */
export function readParams(params: URLSearchParams): ListParams {
  const sort = params.get('sort') ?? '-neededBy';
  const columns = Object.keys(COLUMNS) as Column[];
  return {
    status: STATUSES.find((status) => status === params.get('status')),
    title: params.get('title') ?? '',
    minAmount: /^\d+(\.\d+)?$/.exec(params.get('minAmount') ?? '')?.[0] ?? '',
    column: columns.find((column) => column === sort.replace('-', '')) ?? 'neededBy',
    isDescending: sort.startsWith('-'),
  };
}

/** Returns the search parameters of an address. */
export function writeParams({ status, title, minAmount, column, isDescending }: ListParams) {
  return { status, title, minAmount, sort: `${isDescending ? '-' : ''}${column}` };
}

/** Returns the variables of the list's first page. */
export function toVariables({
  status,
  title,
  minAmount,
  column,
  isDescending,
}: ListParams): RequestsQueryVariables {
  return {
    where: {
      ...(status && { status: { eq: status } }),
      ...(title && { title: { contains: title } }),
      ...(minAmount && { amount: { gte: minAmount } }),
    },
    orderBy: [{ field: COLUMNS[column].field, direction: isDescending ? 'DESC' : 'ASC' }],
    first: PAGE_SIZE,
  };
}
