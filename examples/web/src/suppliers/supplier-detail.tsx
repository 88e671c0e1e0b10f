import { useQuery } from '@apollo/client/react';

import { graphql } from '../__generated__/index.ts';
import { Problems } from '../graphql/problems.tsx';
import { RequestTable } from '../requests/request-table.tsx';
import { hrefOf } from '../route.ts';

graphql(`
  fragment SupplierFacts on Supplier {
    id
    instanceId
    name
    category
    country
    contactEmail
    rating
    paymentDays
  }
`);

const SUPPLIER = graphql(`
  query Supplier($instanceId: ID!) {
    supplier(instanceId: $instanceId) {
      ...SupplierFacts
      purchaseRequests(orderBy: [{ field: NEEDED_BY, direction: DESC }], first: 50) {
        nodes {
          ...RequestRow
        }
      }
    }
  }
`);

/**
 * A supplier with its latest purchase requests. The typed graph follows references in both
 * directions.
 */
export function SupplierDetail({ instanceId }: { readonly instanceId: string }) {
  const { data, error, loading, refetch } = useQuery(SUPPLIER, {
    variables: { instanceId },
    errorPolicy: 'all',
  });
  const supplier = data?.supplier;
  const name = supplier?.name ?? `Supplier ${instanceId}`;
  const requests = supplier?.purchaseRequests?.nodes ?? [];
  return (
    <div aria-busy={loading}>
      <title>{`${name} – Suppliers`}</title>
      <p className="back">
        <a href={hrefOf('/suppliers')}>All suppliers</a>
      </p>
      <h1>{name}</h1>
      <Problems error={error} retry={() => refetch()} />
      {!supplier && !loading && !error && <p>There is no such supplier, or not any more.</p>}
      {supplier && (
        <>
          <section className="card" aria-label="Supplier">
            <dl className="facts">
              <dt>Category</dt>
              <dd>{supplier.category ?? '–'}</dd>
              <dt>Country</dt>
              <dd>{supplier.country ?? '–'}</dd>
              <dt>Contact</dt>
              <dd>{supplier.contactEmail ?? '–'}</dd>
              <dt>Rating</dt>
              <dd>{supplier.rating ? `${supplier.rating} of 5` : '–'}</dd>
              <dt>Payment</dt>
              <dd>{supplier.paymentDays == null ? '–' : `within ${supplier.paymentDays} days`}</dd>
            </dl>
          </section>
          <h2>Purchase requests</h2>
          {requests.length === 0 ? <p>None.</p> : <RequestTable rows={requests} />}
        </>
      )}
    </div>
  );
}
