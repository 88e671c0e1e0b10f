import type { ErrorLike } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { type SubmitEvent, useState } from 'react';

import type { BulkChangeMutation, PurchaseRequestStatus } from '../__generated__/graphql.ts';
import { graphql } from '../__generated__/index.ts';
import { formatChoice } from '../format.ts';
import { Problems } from '../graphql/problems.tsx';
import { STATUSES } from './list-params.ts';

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

type Result = NonNullable<BulkChangeMutation['updatePurchaseRequests']>['results'][number];

/** What became of the rows of a change, by `instanceId`. */
export type Outcomes = ReadonlyMap<string, Result>;

/** One call of a change: sent again with its key, it does only what is not done. */
interface Chunk {
  readonly instanceIds: readonly string[];
  readonly status: PurchaseRequestStatus;
  readonly idempotencyKey: string;
}

/** The gateway takes 100; smaller calls show progress. */
const CHUNK_SIZE = 10;

interface BulkChangeProps {
  readonly selected: readonly string[];
  readonly outcomes: Outcomes;
  readonly onOutcomes: (outcomes: Outcomes) => void;
}

/** Changes the status of all selected rows, call by call. A failed row does not keep the others from being changed. */
export function BulkChange({ selected, outcomes, onOutcomes }: BulkChangeProps) {
  const client = useApolloClient();
  const [chunks, setChunks] = useState<readonly Chunk[]>([]);
  const [isRunning, setIsRunning] = useState(false);
  const [error, setError] = useState<ErrorLike>();

  const send = async (all: readonly Chunk[]) => {
    setChunks(all);
    setIsRunning(true);
    setError(undefined);
    const known = new Map<string, Result>();
    onOutcomes(known);
    for (const { instanceIds, status, idempotencyKey } of all) {
      const items = instanceIds.map((instanceId) => ({ instanceId, values: { status } }));
      const variables = { input: { items, idempotencyKey } };
      const { data, error: failure } = await client.mutate({ mutation: BULK_CHANGE, variables, errorPolicy: 'all' });
      const results = data?.updatePurchaseRequests?.results ?? [];
      for (const [index, result] of results.entries()) known.set(instanceIds[index] ?? '', result);
      onOutcomes(new Map(known));
      if (!data?.updatePurchaseRequests) {
        setError(failure);
        break;
      }
    }
    setIsRunning(false);
  };

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const status = new FormData(event.currentTarget).get('to') as PurchaseRequestStatus;
    const starts = selected.flatMap((_, index) => (index % CHUNK_SIZE === 0 ? [index] : []));
    send(
      starts.map((start) => ({
        instanceIds: selected.slice(start, start + CHUNK_SIZE),
        status,
        idempotencyKey: crypto.randomUUID(),
      })),
    );
  };

  const total = chunks.reduce((sum, { instanceIds }) => sum + instanceIds.length, 0);
  const done = [...outcomes.values()].filter(({ status }) => status === 'DONE').length;
  const isLeft = !isRunning && (outcomes.size < total || [...outcomes.values()].some(isUnsent));
  return (
    <form className="card stack" aria-label="Change the selected requests" onSubmit={submit}>
      <p className="actions">
        <label>
          Change to
          <select name="to" defaultValue="APPROVED">
            {STATUSES.map((status) => (
              <option key={status} value={status}>
                {formatChoice(status)}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" className="primary" disabled={isRunning || selected.length === 0}>
          Change {selected.length} selected
        </button>
        {isLeft && (
          <button type="button" onClick={() => send(chunks)}>
            Send the rest again
          </button>
        )}
      </p>
      {total > 0 && (
        <p>
          <progress aria-label="Requests with an outcome" max={total} value={outcomes.size} />{' '}
          <output>
            {done} of {total} changed
          </output>
        </p>
      )}
      <Problems error={error} />
    </form>
  );
}

const isUnsent = ({ status }: Result): boolean => status === 'NOT_SENT';

/** What became of a row, in words for users. */
export function wordOutcome({ status, error }: Result): string {
  if (status === 'DONE') return 'Changed';
  if (status === 'UNKNOWN') return 'The answer was lost: look before you change it again';
  return status === 'NOT_SENT' ? `Not sent yet: ${error?.message}` : `Not changed: ${error?.message}`;
}
