import { type FragmentType, getFragmentData, graphql } from '../__generated__/index.ts';
import { formatDay, formatMoney } from '../shared/format.ts';
import { Status } from '../shared/status.tsx';

const FACTS = graphql(`
  fragment RequestFacts on PurchaseRequest {
    amount
    quantity
    status
    neededBy
    urgent
    notes
    supplier {
      name
      country
      rating
      paymentDays
    }
    requester {
      name
      jobTitle
      manager {
        name
      }
    }
  }
`);

/** What a request says, and whom and what it refers to. */
export function Facts({ request }: { readonly request: FragmentType<typeof FACTS> }) {
  const { amount, quantity, status, neededBy, urgent, notes, supplier, requester } = getFragmentData(FACTS, request);
  return (
    <dl className="facts">
      <dt>Status</dt>
      <dd>
        <Status status={status} /> {urgent && <span className="urgent">Urgent</span>}
      </dd>
      <dt>Amount</dt>
      <dd>
        {formatMoney(amount)} for {quantity}
      </dd>
      <dt>Needed by</dt>
      <dd>{formatDay(neededBy)}</dd>
      <dt>Supplier</dt>
      <dd>
        {supplier ? `${supplier.name}, ${supplier.country}` : '–'}
        {supplier && (
          <small>
            {supplier.rating ?? '–'} of 5 stars, paid within {supplier.paymentDays ?? '–'} days
          </small>
        )}
      </dd>
      <dt>Requested by</dt>
      <dd>
        {requester?.name ?? '–'}
        {requester && (
          <small>
            {requester.jobTitle}
            {requester.manager && `, reports to ${requester.manager.name}`}
          </small>
        )}
      </dd>
      {notes && (
        <>
          <dt>Notes</dt>
          <dd>{notes}</dd>
        </>
      )}
    </dl>
  );
}
