import type { ApolloClient } from '@apollo/client';

import type {
  RequestsQueryVariables,
  RequestRowFragment as Row,
} from '../__generated__/graphql.ts';
import { graphql } from '../__generated__/index.ts';

const EXPORT = graphql(`
  query Export($where: PurchaseRequestFilterInput, $orderBy: [PurchaseRequestOrder!], $first: Int, $after: String) {
    purchaseRequests(where: $where, orderBy: $orderBy, first: $first, after: $after) {
      totalCount
      pageInfo {
        endCursor
        hasNextPage
      }
      nodes {
        ...RequestRow
      }
    }
  }
`);

/**
 * Each page costs one call to the platform. No row is lost: see "Reading everything" in the
 * gateway's docs/clients.md.
 */
const PAGE_SIZE = 50;

interface Progress {
  readonly rows: number;
  readonly total: number | null | undefined;
}

/**
 * Reads all matching rows, page by page, and returns them as CSV.
 *
 * @throws {ErrorLike} when a page cannot be read completely, because a partial export would be
 * misleading.
 */
export async function exportCsv(
  client: ApolloClient,
  { where, orderBy }: RequestsQueryVariables,
  onProgress: (progress: Progress) => void,
): Promise<string> {
  // A row that moves during the export may be read twice.
  const rows = new Map<string, Row>();
  for (let after: string | null | undefined, isMore = true; isMore; ) {
    const { data } = await client.query({
      query: EXPORT,
      variables: { where, orderBy, first: PAGE_SIZE, after },
      fetchPolicy: 'no-cache',
      errorPolicy: 'none',
    });
    const page = data?.purchaseRequests;
    for (const row of page?.nodes ?? []) rows.set(row.id, row);
    onProgress({ rows: rows.size, total: page?.totalCount });
    after = page?.pageInfo.endCursor;
    isMore = page?.pageInfo.hasNextPage === true;
  }
  const lines = [...rows.values()].map((row) =>
    Object.values(COLUMNS).map((read) => toField(read(row))),
  );
  return [Object.keys(COLUMNS), ...lines].map((fields) => `${fields.join(',')}\r\n`).join('');
}

const COLUMNS: Readonly<Record<string, (row: Row) => string | boolean | null | undefined>> = {
  Number: ({ instanceId }) => instanceId,
  Title: ({ title }) => title,
  Supplier: ({ supplier }) => supplier?.name,
  Requester: ({ requester }) => requester?.name,
  Amount: ({ amount }) => amount,
  'Needed by': ({ neededBy }) => neededBy,
  Urgent: ({ urgent }) => urgent,
  Status: ({ status }) => status,
};

/**
 * Formats a field of CSV (RFC 4180). An apostrophe is put before a text that a spreadsheet would
 * run as a formula.
 */
function toField(value: string | boolean | null | undefined): string {
  const text = String(value ?? '');
  const safe = /^[=@\t\r]|^[+-](?![\d.]+$)/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
