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
  /** What the user saw when they changed it. */
  readonly status: PurchaseRequestStatus | null | undefined;
}

/** What became of a row. */
interface Outcome {
  readonly status: BulkStatus;
  readonly error?: { readonly message: string } | null;
}

/** What became of the rows of a change, by `instanceId`. */
export type Outcomes = ReadonlyMap<string, Outcome>;

/** One call of a change: sent again with its key, it does only what is not done. */
export interface Call {
  readonly rows: readonly Row[];
  readonly to: PurchaseRequestStatus;
  readonly idempotencyKey: string;
  /** When it was first sent, in epoch milliseconds. */
  readonly sentAtMs?: number;
}

/** The gateway takes 100; smaller calls show progress. */
const CALL_SIZE = 10;
/** The gateway knows a key for ten minutes, of which one is left for the way. */
const KEY_LIFETIME_MS = 9 * 60_000;

/** Makes the calls of a change. */
export function createCalls(rows: readonly Row[], to: PurchaseRequestStatus): readonly Call[] {
  const starts = rows.flatMap((_, index) => (index % CALL_SIZE === 0 ? [index] : []));
  return starts.map((start) => createCall(rows.slice(start, start + CALL_SIZE), to));
}

const createCall = (rows: readonly Row[], to: PurchaseRequestStatus): Call => ({
  rows,
  to,
  idempotencyKey: crypto.randomUUID(),
});

/** Whether a row has no effect yet, as far as is known. */
export const isLeft = (outcome: Outcome | undefined): boolean => outcome === undefined || outcome.status === 'NOT_SENT';

/** Makes a call that may be sent now: itself, or one with the rows that are still to be changed where the gateway has forgotten its key. */
export async function prepareCall(client: ApolloClient, call: Call, outcomes: Outcomes): Promise<[Call, Outcomes]> {
  const { rows, to, sentAtMs } = call;
  if (sentAtMs === undefined) return [{ ...call, sentAtMs: Date.now() }, outcomes];
  if (Date.now() - sentAtMs < KEY_LIFETIME_MS) return [call, outcomes];
  // Nobody remembers what became of it but the platform.
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
const CHANGED_MEANWHILE: Outcome = { status: 'FAILED', error: { message: 'Somebody else has changed it meanwhile.' } };

/** The gateway's longest page. */
const MAX_PAGE = 100;

async function readStatuses(client: ApolloClient, rows: readonly Row[]) {
  const statuses = new Map<string, Row['status']>();
  for (let start = 0; start < rows.length; start += MAX_PAGE) {
    const instanceIds = rows.slice(start, start + MAX_PAGE).map(({ instanceId }) => instanceId);
    // Without `first` a page has 20 rows, and the others would look changed.
    const variables = { instanceIds, first: instanceIds.length };
    const { data } = await client.query({ query: STATUSES_NOW, variables, fetchPolicy: 'network-only' });
    for (const { node } of data?.purchaseRequests?.edges ?? []) statuses.set(node.instanceId, node.status);
  }
  return statuses;
}

/** Sends a call, and gives what became of its rows. @throws {ErrorLike} where nobody knows. */
export async function sendCall(client: ApolloClient, { rows, to, idempotencyKey }: Call): Promise<Outcomes> {
  const items = rows.map(({ instanceId }) => ({ instanceId, values: { status: to } }));
  const { data, error } = await client.mutate({
    mutation: BULK_CHANGE,
    variables: { input: { items, idempotencyKey } },
    errorPolicy: 'all',
  });
  const results = data?.updatePurchaseRequests?.results;
  if (results === undefined) throw error;
  return new Map(rows.flatMap(({ instanceId }, index) => (results[index] ? [[instanceId, results[index]]] : [])));
}

/** What became of a row, in words for users. */
export function wordOutcome({ status, error }: Outcome): string {
  if (status === 'DONE') return 'Changed';
  if (status === 'UNKNOWN') return 'The answer was lost: look before you change it again';
  return status === 'NOT_SENT' ? `Not sent yet: ${error?.message}` : `Not changed: ${error?.message}`;
}
