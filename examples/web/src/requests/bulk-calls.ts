import type { ApolloClient } from '@apollo/client';
import { createKey } from 'caseway/client';

import type {
  BulkChangeMutation,
  BulkStatus,
  PurchaseRequestStatus,
} from '../__generated__/graphql.ts';
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
          code
          message
          current {
            ... on PurchaseRequest {
              id
              status
            }
          }
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
  idempotencyKey: createKey(),
});

/** Returns whether a row has no known effect yet. */
export const isLeft = (outcome: Outcome | undefined): boolean =>
  outcome === undefined || outcome.status === 'NOT_SENT';

/**
 * Returns a call that may be sent now: the same call, or, if the gateway has forgotten its key, a
 * new call with the remaining rows.
 */
export function prepareCall(call: Call, outcomes: Outcomes): Call {
  const { rows, to, sentAtMs = Date.now() } = call;
  if (Date.now() - sentAtMs < KEY_LIFETIME_MS) return { ...call, sentAtMs };
  const left = rows.filter(({ instanceId }) => isLeft(outcomes.get(instanceId)));
  return { ...createCall(left, to), sentAtMs: Date.now() };
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
  const items = rows.map(({ instanceId, status }) => ({
    instanceId,
    values: { status: to },
    // If the row has another status now, nothing is sent.
    expected: { status },
  }));
  const { data, error } = await client.mutate({
    mutation: BULK_CHANGE,
    variables: { input: { items, idempotencyKey } },
    errorPolicy: 'all',
  });
  const results = data?.updatePurchaseRequests?.results;
  if (results === undefined) throw error;
  return new Map(
    rows.flatMap(({ instanceId }, index) => {
      const result = results[index];
      return result ? [[instanceId, toOutcome(result, to)] as const] : [];
    }),
  );
}

type Result = NonNullable<BulkChangeMutation['updatePurchaseRequests']>['results'][number];

/** Converts a result. A row with the new status may have it from an earlier call. */
function toOutcome({ status, error }: Result, to: PurchaseRequestStatus): Outcome {
  if (error?.code !== 'CONFLICT') return { status, error: error ?? null };
  const { current } = error;
  if (current && 'status' in current && current.status === to) return { status: 'DONE' };
  return { status: 'FAILED', error: { message: 'Somebody else has changed it meanwhile.' } };
}

/** Describes the outcome of a row for users. */
export function wordOutcome({ status, error }: Outcome): string {
  if (status === 'DONE') return 'Changed';
  if (status === 'UNKNOWN') return 'The answer was lost: look before you change it again';
  return status === 'NOT_SENT'
    ? `Not sent yet: ${error?.message}`
    : `Not changed: ${error?.message}`;
}
