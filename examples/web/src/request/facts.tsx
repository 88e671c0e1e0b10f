import type { RequestFactsFragment } from '../__generated__/graphql.ts';
import { graphql } from '../__generated__/index.ts';
import { formatDay, formatMoney } from '../format.ts';
import { Status } from '../requests/status.tsx';
import { hrefOf } from '../route.ts';
import type { FormDefinition } from './form-definition.ts';

graphql(`
  fragment RequestFacts on PurchaseRequest {
    amount
    quantity
    status
    neededBy
    urgent
    notes
    supplier {
      ...SupplierFacts
    }
    requester {
      ...RequesterFacts
    }
  }
`);

graphql(`
  fragment RequesterFacts on Employee {
    id
    name
    jobTitle
    manager {
      id
      name
    }
  }
`);

interface FactsProps {
  readonly request: RequestFactsFragment;
  readonly form: FormDefinition;
}

/**
 * The values of a purchase request with its supplier and requester, labelled by the platform's
 * form.
 */
export function Facts({ request, form: { labelOf } }: FactsProps) {
  const { amount, quantity, status, neededBy, urgent, notes, supplier, requester } = request;
  return (
    <dl className="facts">
      <dt>{labelOf('status')}</dt>
      <dd>
        <Status status={status} /> {urgent && <span className="urgent">{labelOf('urgent')}</span>}
      </dd>
      <dt>{labelOf('amount')}</dt>
      <dd>{formatMoney(amount)}</dd>
      <dt>{labelOf('quantity')}</dt>
      <dd>{quantity ?? '–'}</dd>
      <dt>{labelOf('neededBy')}</dt>
      <dd>{formatDay(neededBy)}</dd>
      <dt>{labelOf('supplier')}</dt>
      <dd>
        {supplier ? <a href={hrefOf(`/suppliers/${supplier.instanceId}`)}>{supplier.name}</a> : '–'}
        {supplier && (
          <small>
            {supplier.country}, payment within {supplier.paymentDays ?? '–'} days
          </small>
        )}
      </dd>
      <dt>{labelOf('requester')}</dt>
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
          <dt>{labelOf('notes')}</dt>
          <dd>{notes}</dd>
        </>
      )}
    </dl>
  );
}
