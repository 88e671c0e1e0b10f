import { useQuery } from 'urql';

import { graphql } from '../__generated__/index.ts';
import { addressOf } from '../shared/place.ts';
import { Problems } from '../shared/problems.tsx';
import { Approval } from './approval.tsx';
import { EditForm } from './edit-form.tsx';
import { Facts } from './facts.tsx';
import { Level } from './level.tsx';

const REQUEST = graphql(`
  query Request($instanceId: ID!) {
    purchaseRequest(instanceId: $instanceId) {
      instanceId
      title
      amount
      can {
        update
      }
      ...RequestFacts
      ...RequestValues
    }
  }
`);

/** One purchase request: what it says, changing it, and its approval. */
export function RequestPage({ instanceId }: { readonly instanceId: string }) {
  const [{ data, error, fetching }, ask] = useQuery({
    query: REQUEST,
    variables: { instanceId },
    requestPolicy: 'cache-and-network',
  });
  const request = data?.purchaseRequest;
  const title = request?.title ?? `Request ${instanceId}`;

  return (
    <div aria-busy={fetching}>
      <p>
        <a href={addressOf('/')}>All requests</a>
      </p>
      <title>{`${title} – Purchase requests`}</title>
      <h1>{title}</h1>
      <Problems error={error} retry={() => ask({ requestPolicy: 'network-only' })} />
      {!request && !fetching && !error && <p>There is no such request, or not any more.</p>}
      {request && (
        <div className="columns">
          <section className="card" aria-label="What is asked for">
            <Facts request={request} />
          </section>
          <section className="card" aria-labelledby="approval">
            <h2 id="approval">Approval</h2>
            {request.amount != null && <Level amount={request.amount} />}
            <Approval instanceId={instanceId} title={request.title ?? ''} amount={request.amount ?? '0'} />
          </section>
          <section className="card" aria-labelledby="change">
            <h2 id="change">Change</h2>
            {request.can?.update === false ? (
              <p>You may look at this request, and not change it.</p>
            ) : (
              <EditForm request={request} />
            )}
          </section>
        </div>
      )}
    </div>
  );
}
