import type { SubmitEvent } from 'react';
import { useMutation } from 'urql';

import { type FragmentType, getFragmentData, graphql } from '../__generated__/index.ts';
import { STATUSES } from '../inbox/choices.ts';
import { formatChoice } from '../shared/format.ts';
import { Problems } from '../shared/problems.tsx';
import { readValues } from './values.ts';

const VALUES = graphql(`
  fragment RequestValues on PurchaseRequest {
    instanceId
    title
    amount
    quantity
    status
    neededBy
    urgent
    notes
  }
`);

const UPDATE = graphql(`
  mutation UpdateRequest($input: UpdateInstanceInput!) {
    updateInstance(input: $input) {
      instance {
        ... on PurchaseRequest {
          ...RequestFacts
          ...RequestValues
        }
      }
    }
  }
`);

/** Changes a request. What is left as it was is not sent. */
export function EditForm({ request }: { readonly request: FragmentType<typeof VALUES> }) {
  const known = getFragmentData(VALUES, request);
  const [{ data, error, fetching }, update] = useMutation(UPDATE);

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = readValues(new FormData(event.currentTarget), known);
    await update({ input: { formId: 'purchase-request', instanceId: known.instanceId, values } });
  };

  return (
    <form className="stack" onSubmit={submit}>
      <label>
        Title
        <input name="title" defaultValue={known.title ?? ''} maxLength={120} required />
      </label>
      <div className="pair">
        <label>
          Amount, in EUR
          <input name="amount" type="number" min="0" step="any" defaultValue={known.amount ?? ''} required />
        </label>
        <label>
          Quantity
          <input name="quantity" type="number" min="1" defaultValue={known.quantity ?? ''} required />
        </label>
      </div>
      <div className="pair">
        <label>
          Status
          <select name="status" defaultValue={known.status ?? 'DRAFT'}>
            {STATUSES.map((status) => (
              <option key={status} value={status}>
                {formatChoice(status)}
              </option>
            ))}
          </select>
        </label>
        <label>
          Needed by
          <input name="neededBy" type="date" defaultValue={known.neededBy ?? ''} />
        </label>
      </div>
      <label className="check">
        <input name="urgent" type="checkbox" defaultChecked={known.urgent ?? false} /> Urgent
      </label>
      <label>
        Notes
        <textarea name="notes" rows={3} maxLength={2000} defaultValue={known.notes ?? ''} />
      </label>
      <Problems error={error} />
      <p className="actions">
        <button type="submit" className="primary" disabled={fetching}>
          {fetching ? 'Saving …' : 'Save'}
        </button>
        <span role="status">{data?.updateInstance && !fetching && 'Saved.'}</span>
      </p>
    </form>
  );
}
