import type { SubmitEvent } from 'react';
import { useMutation } from 'urql';

import { type FragmentType, getFragmentData, graphql } from '../__generated__/index.ts';
import { STATUSES } from '../inbox/choices.ts';
import { formatChoice } from '../shared/format.ts';
import { violationsOf } from '../shared/problem.ts';
import { Problems } from '../shared/problems.tsx';
import { Field } from './field.tsx';
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
  mutation UpdateRequest($input: UpdatePurchaseRequestInput!) {
    updatePurchaseRequest(input: $input) {
      instance {
        ...RequestFacts
        ...RequestValues
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
    await update({ input: { instanceId: known.instanceId, values, idempotencyKey: crypto.randomUUID() } });
  };
  const violations = violationsOf(error);

  return (
    <form className="stack" onSubmit={submit}>
      <Field label="Title" violation={violations.get('title')}>
        {(tie) => <input {...tie} name="title" defaultValue={known.title ?? ''} maxLength={120} required />}
      </Field>
      <div className="pair">
        <Field label="Amount, in EUR" violation={violations.get('amount')}>
          {(tie) => (
            <input {...tie} name="amount" type="number" min="0" step="any" defaultValue={known.amount ?? ''} required />
          )}
        </Field>
        <Field label="Quantity" violation={violations.get('quantity')}>
          {(tie) => (
            <input {...tie} name="quantity" type="number" min="1" defaultValue={known.quantity ?? ''} required />
          )}
        </Field>
      </div>
      <div className="pair">
        <Field label="Status" violation={violations.get('status')}>
          {(tie) => (
            <select {...tie} name="status" defaultValue={known.status ?? 'DRAFT'}>
              {STATUSES.map((status) => (
                <option key={status} value={status}>
                  {formatChoice(status)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Needed by" violation={violations.get('neededBy')}>
          {(tie) => <input {...tie} name="neededBy" type="date" defaultValue={known.neededBy ?? ''} />}
        </Field>
      </div>
      <label className="check">
        <input name="urgent" type="checkbox" defaultChecked={known.urgent ?? false} /> Urgent
      </label>
      <Field label="Notes" violation={violations.get('notes')}>
        {(tie) => <textarea {...tie} name="notes" rows={3} maxLength={2000} defaultValue={known.notes ?? ''} />}
      </Field>
      <Problems error={error} />
      <p className="actions">
        <button type="submit" className="primary" disabled={fetching}>
          {fetching ? 'Saving …' : 'Save'}
        </button>
        <span role="status">{data?.updatePurchaseRequest && !fetching && 'Saved.'}</span>
      </p>
    </form>
  );
}
