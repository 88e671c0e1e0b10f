import type { ErrorLike } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { type SubmitEvent, useState } from 'react';

import type { PurchaseRequestStatus } from '../__generated__/graphql.ts';
import { formatChoice } from '../format.ts';
import { Problems } from '../graphql/problems.tsx';
import {
  type Call,
  createCalls,
  isLeft,
  type Outcomes,
  prepareCall,
  type Row,
  sendCall,
} from './bulk-calls.ts';
import { STATUSES } from './list-params.ts';

interface BulkChangeProps {
  /** The rows on the screen. */
  readonly rows: readonly Row[];
  readonly selected: readonly Row[];
  readonly onSelect: (rows: readonly Row[]) => void;
  readonly onClose: () => void;
  readonly outcomes: Outcomes;
  readonly onOutcomes: (outcomes: Outcomes) => void;
}

/** Changes the status of all selected rows, call by call. A failed row does not stop the others. */
export function BulkChange({
  rows,
  selected,
  onSelect,
  onClose,
  outcomes,
  onOutcomes,
}: BulkChangeProps) {
  const client = useApolloClient();
  const [calls, setCalls] = useState<readonly Call[]>([]);
  const [total, setTotal] = useState(0);
  const [isRunning, setIsRunning] = useState(false);
  const [error, setError] = useState<ErrorLike>();

  const send = async (all: readonly Call[], before: Outcomes) => {
    const sent = [...all];
    let known = before;
    setIsRunning(true);
    setError(undefined);
    try {
      for (const [index, call] of all.entries()) {
        if (!call.rows.some(({ instanceId }) => isLeft(known.get(instanceId)))) continue;
        const prepared = prepareCall(call, known);
        sent[index] = prepared;
        known = new Map([...known, ...(await sendCall(client, prepared))]);
        onOutcomes(known);
      }
    } catch (error) {
      setError(error as ErrorLike);
    }
    setCalls(sent);
    setIsRunning(false);
  };

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const to = new FormData(event.currentTarget).get('to') as PurchaseRequestStatus;
    setTotal(selected.length);
    send(createCalls(selected, to), new Map());
  };

  const done = [...outcomes.values()].filter(({ status }) => status === 'DONE').length;
  const hasRest = !isRunning && (outcomes.size < total || [...outcomes.values()].some(isLeft));
  return (
    <form className="card stack" aria-label="Change the selected requests" onSubmit={submit}>
      <div className="actions">
        <label className="check">
          <input
            type="checkbox"
            checked={selected.length > 0 && selected.length === rows.length}
            ref={(box) => {
              if (box) box.indeterminate = selected.length > 0 && selected.length < rows.length;
            }}
            onChange={({ target }) => onSelect(target.checked ? rows : [])}
          />
          Select all {rows.length} shown
        </label>
        <label className="inline">
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
        {hasRest && (
          <button type="button" onClick={() => send(calls, outcomes)}>
            Send the rest again
          </button>
        )}
        <button type="button" onClick={onClose} disabled={isRunning}>
          {total > 0 ? 'Done' : 'Cancel'}
        </button>
      </div>
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
