import type { ApolloClient } from '@apollo/client';

import type { BulkStatus, PurchaseRequestStatus } from '../__generated__/graphql.ts';
import { graphql } from '../__generated__/index.ts';

const BULK_CHANGE = graphql(`
  mutation BulkChange($input: UpdatePurchaseRequestsInput!) {
    updatePurchaseRequests(input: $input) {
      results {
        status
        instance {
          id
          status
        }
        error {
          message
        }
      }
    }
  }
`);

const STATUSES_NOW = graphql(`
  query StatusesNow($instanceIds: [ID!]!, $first: Int!) {
    purchaseRequests(where: { instanceId: { in: $instanceIds } }, first: $first) {
      edges {
        node {
          id
          instanceId
          status
        }
      }
    }
  }
`);

/** A row to change. */
export interface Row {
  readonly instanceId: string;
  /** The status on the screen when the user changed it. */
  readonly status: PurchaseRequestStatus | null | undefined;
}

/** The outcome of a row. */
interface Outcome {
  readonly status: BulkStatus;
  readonly error?: { readonly message: string } | null;
}

/** The outcomes of a change's rows, by `instanceId`. */
export type Outcomes = ReadonlyMap<string, Outcome>;

/**
 * One call of a change. If it is sent again with its key, the gateway skips the rows that are done.
 */
export interface Call {
  readonly rows: readonly Row[];
  readonly to: PurchaseRequestStatus;
  readonly idempotencyKey: string;
  /** When it was first sent, in epoch milliseconds. */
  readonly sentAtMs?: number;
}

/** The gateway allows 100. Smaller calls show progress. */
const CALL_SIZE = 10;
/** The gateway keeps a key for ten minutes. A minute is reserved for the transfer. */
const KEY_LIFETIME_MS = 9 * 60_000;

/** Creates the calls of a change. */
export function createCalls(rows: readonly Row[], to: PurchaseRequestStatus): readonly Call[] {
  const starts = rows.flatMap((_, index) => (index % CALL_SIZE === 0 ? [index] : []));
  return starts.map((start) => createCall(rows.slice(start, start + CALL_SIZE), to));
}

const createCall = (rows: readonly Row[], to: PurchaseRequestStatus): Call => ({
  rows,
  to,
  idempotencyKey: crypto.randomUUID(),
});

/** Returns whether a row has no known effect yet. */
export const isLeft = (outcome: Outcome | undefined): boolean =>
  outcome === undefined || outcome.status === 'NOT_SENT';

/**
 * Returns a call that may be sent now: the same call, or, if the gateway has forgotten its key, a
 * new call with the unchanged rows.
 */
export async function prepareCall(
  client: ApolloClient,
  call: Call,
  outcomes: Outcomes,
): Promise<[Call, Outcomes]> {
  const { rows, to, sentAtMs } = call;
  if (sentAtMs === undefined) return [{ ...call, sentAtMs: Date.now() }, outcomes];
  if (Date.now() - sentAtMs < KEY_LIFETIME_MS) return [call, outcomes];
  // Only the platform's data can show the outcome now.
  const left = rows.filter(({ instanceId }) => isLeft(outcomes.get(instanceId)));
  const statuses = await readStatuses(client, left);
  const found = left.flatMap(({ instanceId, status }) => {
    const now = statuses.get(instanceId);
    if (now === status) return [];
    return [[instanceId, now === to ? DONE : CHANGED_MEANWHILE] as const];
  });
  const known = new Map([...outcomes, ...found]);
  const unchanged = left.filter(({ instanceId }) => isLeft(known.get(instanceId)));
  return [{ ...createCall(unchanged, to), sentAtMs: Date.now() }, known];
}

const DONE: Outcome = { status: 'DONE' };
const CHANGED_MEANWHILE: Outcome = {
  status: 'FAILED',
  error: { message: 'Somebody else has changed it meanwhile.' },
};

/** The gateway's longest page. */
const MAX_PAGE = 100;

async function readStatuses(client: ApolloClient, rows: readonly Row[]) {
  const statuses = new Map<string, Row['status']>();
  for (let start = 0; start < rows.length; start += MAX_PAGE) {
    const instanceIds = rows.slice(start, start + MAX_PAGE).map(({ instanceId }) => instanceId);
    // Without `first` a page has 20 rows, and missing rows would look changed.
    const variables = { instanceIds, first: instanceIds.length };
    const { data } = await client.query({
      query: STATUSES_NOW,
      variables,
      fetchPolicy: 'network-only',
    });
    for (const { node } of data?.purchaseRequests?.edges ?? [])
      statuses.set(node.instanceId, node.status);
  }
  return statuses;
}

/**
 * Sends a call and returns the outcome of its rows.
 *
 * @throws {ErrorLike} when the outcome is unknown.
 */
export async function sendCall(
  client: ApolloClient,
  { rows, to, idempotencyKey }: Call,
): Promise<Outcomes> {
  const items = rows.map(({ instanceId }) => ({ instanceId, values: { status: to } }));
  const { data, error } = await client.mutate({
    mutation: BULK_CHANGE,
    variables: { input: { items, idempotencyKey } },
    errorPolicy: 'all',
  });
  const results = data?.updatePurchaseRequests?.results;
  if (results === undefined) throw error;
  return new Map(
    rows.flatMap(({ instanceId }, index) => (results[index] ? [[instanceId, results[index]]] : [])),
  );
}

/** Describes the outcome of a row for users. */
export function wordOutcome({ status, error }: Outcome): string {
  if (status === 'DONE') return 'Changed';
  if (status === 'UNKNOWN') return 'The answer was lost: look before you change it again';
  return status === 'NOT_SENT'
    ? `Not sent yet: ${error?.message}`
    : `Not changed: ${error?.message}`;
}
