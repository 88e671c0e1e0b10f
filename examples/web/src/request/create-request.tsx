import { useMutation } from '@apollo/client/react';
import { createIdempotencyKey, violationsOf } from 'caseway/client';
import type { SubmitEvent } from 'react';

import { graphql } from '../__generated__/index.ts';
import { Problems } from '../graphql/problems.tsx';
import { hrefOf } from '../route.ts';
import { useDraft } from './draft.ts';
import { Fields } from './fields.tsx';
import { useFormDefinition } from './form-definition.ts';
import { NEW_VALUES, toInput } from './values.ts';

const CREATE_REQUEST = graphql(`
  mutation CreateRequest($input: CreatePurchaseRequestInput!) {
    createPurchaseRequest(input: $input) {
      instance {
        instanceId
        ...RequestValues
      }
    }
  }
`);

const idempotency = createIdempotencyKey(sessionStorage, 'create-request');

/** Creates a purchase request once, even if the user sends it again. */
export function CreateRequest() {
  const form = useFormDefinition();
  const draft = useDraft(NEW_VALUES);
  const [create, { error, loading }] = useMutation(CREATE_REQUEST, {
    errorPolicy: 'all',
    context: { idempotency },
    // Only the platform knows the new request's place in the lists, so they are read again when
    // they are shown.
    update: (cache, { data }) => {
      if (data?.createPurchaseRequest)
        cache.evict({ id: 'ROOT_QUERY', fieldName: 'purchaseRequests' });
    },
  });

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = toInput(draft.values);
    const result = await create({ variables: { input: { values } } });
    const created = result.data?.createPurchaseRequest?.instance;
    if (created) location.hash = hrefOf(`/requests/${created.instanceId}`);
  };

  return (
    <>
      <title>New request – Purchase requests</title>
      <p className="back">
        <a href={hrefOf('/')}>All purchase requests</a>
      </p>
      <h1>New request</h1>
      <Problems error={form.error} />
      <form className="card stack form" onSubmit={submit} aria-busy={form.loading}>
        <Fields draft={draft} form={form} messages={violationsOf(error)} />
        <Problems error={error} />
        <p className="actions">
          <button type="submit" className="primary" disabled={loading || !form.mayCreate}>
            {loading ? 'Creating …' : 'Create'}
          </button>
        </p>
      </form>
    </>
  );
}
