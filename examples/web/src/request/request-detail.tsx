import { useQuery } from '@apollo/client/react';
import { useLiveList } from 'caseway/client/react-apollo';

import { graphql } from '../__generated__/index.ts';
import { LiveSign } from '../graphql/live-sign.tsx';
import { Problems } from '../graphql/problems.tsx';
import { hrefOf } from '../route.ts';
import { Approval } from './approval.tsx';
import { ApprovalLevel } from './approval-level.tsx';
import { EditRequest } from './edit-request.tsx';
import { Facts } from './facts.tsx';
import { useFormDefinition } from './form-definition.ts';

const REQUEST = graphql(`
  query Request($instanceId: ID!) {
    purchaseRequest(instanceId: $instanceId) {
      ...RequestDetail
    }
  }
`);

const LIVE_REQUEST = graphql(`
  subscription LiveRequest($instanceId: ID!) {
    purchaseRequest(instanceId: $instanceId) {
      ...RequestDetail
    }
  }
`);

graphql(`
  fragment RequestDetail on PurchaseRequest {
    id
    title
    amount
    can {
      update
    }
    ...RequestFacts
    ...EditedRequest
  }
`);

/** One purchase request: its values, its approval, and a form to edit it. */
export function RequestDetail({ instanceId }: { readonly instanceId: string }) {
  const form = useFormDefinition();
  const { data, error, loading, refetch } = useQuery(REQUEST, {
    variables: { instanceId },
    errorPolicy: 'all',
  });
  const request = data?.purchaseRequest;
  const { connection } = useLiveList({
    query: REQUEST,
    subscription: LIVE_REQUEST,
    variables: { instanceId },
    skip: !request,
  });
  const title = request?.title ?? `Request ${instanceId}`;

  return (
    <div aria-busy={loading || form.loading}>
      <title>{`${title} – Purchase requests`}</title>
      <p className="back">
        <a href={hrefOf('/')}>All purchase requests</a>
      </p>
      <div className="title">
        <h1>{title}</h1>
        {request && <LiveSign connection={connection} />}
      </div>
      <Problems error={error ?? form.error} retry={() => refetch()} />
      {!request && !loading && !error && <p>There is no such purchase request, or not any more.</p>}
      {request && !form.loading && (
        <div className="columns">
          <section className="card" aria-label="Request">
            <Facts request={request} form={form} />
          </section>
          <section className="card" aria-labelledby="approval">
            <h2 id="approval">Approval</h2>
            {request.amount != null && <ApprovalLevel amount={request.amount} />}
            <Approval
              instanceId={instanceId}
              title={request.title ?? ''}
              amount={request.amount ?? '0'}
            />
          </section>
          <section className="card" aria-labelledby="edit">
            <h2 id="edit">Edit</h2>
            {request.can?.update === false ? (
              <p>You may read this request, but not change it.</p>
            ) : (
              <EditRequest request={request} form={form} />
            )}
          </section>
        </div>
      )}
    </div>
  );
}
