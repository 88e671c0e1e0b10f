import type { InboxQueryVariables, PurchaseRequestOrder, PurchaseRequestStatus } from '../__generated__/graphql.ts';

export const PAGE_SIZE = 10;

export const STATUSES: readonly PurchaseRequestStatus[] = ['DRAFT', 'SUBMITTED', 'APPROVED', 'REJECTED'];

/** What the inbox can be ordered by. */
export const COLUMNS = { title: 'Title', amount: 'Amount', neededBy: 'Needed by', status: 'Status' } as const;
export type Column = keyof typeof COLUMNS;

/** What somebody has chosen to see, as the address says it. */
export interface Choices {
  readonly status: PurchaseRequestStatus | undefined;
  readonly text: string;
  readonly atLeast: string;
  readonly column: Column;
  readonly isDescending: boolean;
  readonly page: number;
}

/** Reads an address, in which anybody may have written anything. */
export function readChoices(given: URLSearchParams): Choices {
  const sort = given.get('sort') ?? '-neededBy';
  const column = (Object.keys(COLUMNS) as Column[]).find((name) => name === sort.replace('-', '')) ?? 'neededBy';
  const page = Number(given.get('page') ?? 1);
  return {
    status: STATUSES.find((status) => status === given.get('status')),
    text: given.get('text') ?? '',
    atLeast: /^\d+(\.\d+)?$/.exec(given.get('atLeast') ?? '')?.[0] ?? '',
    column,
    isDescending: sort.startsWith('-'),
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  };
}

/** Gives the choices as the address says them, with some of them changed; other choices than the page lead to its first. */
export function writeChoices(choices: Choices, changed: Partial<Choices>): Record<string, string | undefined> {
  const { status, text, atLeast, column, isDescending, page } = { ...choices, page: 1, ...changed };
  return {
    status,
    text,
    atLeast,
    sort: `${isDescending ? '-' : ''}${column}`,
    page: page === 1 ? undefined : String(page),
  };
}

/** Asks for what was chosen. */
export function toVariables({ status, text, atLeast, column, isDescending, page }: Choices): InboxQueryVariables {
  const direction = isDescending ? 'DESC' : 'ASC';
  return {
    where: {
      ...(status && { status: { eq: status } }),
      ...(text && { title: { contains: text } }),
      ...(atLeast && { amount: { gte: atLeast } }),
    },
    orderBy: [{ [column]: direction } as PurchaseRequestOrder],
    first: PAGE_SIZE,
    page,
  };
}
