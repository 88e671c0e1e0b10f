import { useApolloClient, useMutation } from '@apollo/client/react';
import type { SubmitEvent } from 'react';

import type { EditedRequestFragment } from '../__generated__/graphql.ts';
import { graphql } from '../__generated__/index.ts';
import { formatChoice } from '../format.ts';
import { LocalError, violationsOf } from '../graphql/errors.ts';
import { useIdempotencyKey } from '../graphql/idempotency.ts';
import { Problems } from '../graphql/problems.tsx';
import { useDraft } from './draft.ts';
import { Fields } from './fields.tsx';
import type { FormDefinition } from './form-definition.ts';
import { type Field, toInput, toValues, type Values, withValues } from './values.ts';

graphql(`
  fragment EditedRequest on PurchaseRequest {
    instanceId
    ...RequestValues
  }
`);

const SAVED_VALUES = graphql(`
  query SavedValues($instanceId: ID!) {
    purchaseRequest(instanceId: $instanceId) {
      ...RequestValues
    }
  }
`);

const UPDATE_REQUEST = graphql(`
  mutation UpdateRequest($input: UpdatePurchaseRequestInput!) {
    updatePurchaseRequest(input: $input) {
      instance {
        ...RequestValues
      }
    }
  }
`);

interface EditRequestProps {
  readonly request: EditedRequestFragment;
  readonly form: FormDefinition;
}

/**
 * Edits a purchase request. Every screen shows the new values at once, and the old ones again if
 * the change fails. Only changed fields are sent, so that other users' changes are kept.
 */
export function EditRequest({ request, form }: EditRequestProps) {
  const client = useApolloClient();
  const [update, { data, error, loading, reset }] = useMutation(UPDATE_REQUEST, {
    errorPolicy: 'all',
  });
  const idempotency = useIdempotencyKey();
  const saved = toValues(request);
  const draft = useDraft(saved);
  const isChanged = Object.keys(draft.changed).length > 0;

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (loading || !isChanged) return;
    const { instanceId } = request;
    const { changed } = draft;

    // The platform has no conditional writes ("if unmodified since"). So the saved values are read
    // once before the change, not from the cache, which has the new values already. If they differ
    // from the values on the screen, it is a conflict.
    const before = async () => {
      const query = { query: SAVED_VALUES, variables: { instanceId } };
      const { data } = await client.query({ ...query, fetchPolicy: 'no-cache' });
      if (data?.purchaseRequest == null)
        throw new LocalError('This request does not exist any more.');
      client.writeQuery({ ...query, data });
      const values = toValues(data.purchaseRequest);
      const changedFields = Object.keys(changed) as Field[];
      const hasConflict = changedFields.some((field) => values[field] !== saved[field]);
      if (hasConflict) throw new LocalError(CONFLICT);
    };

    const values = toInput(changed);
    const result = await update({
      variables: { input: { instanceId, values, idempotencyKey: idempotency.keyOf(values) } },
      optimisticResponse: { updatePurchaseRequest: { instance: withValues(request, changed) } },
      context: { before },
    });
    idempotency.settle(result.error);
    if (result.data?.updatePurchaseRequest) draft.reset();
  };

  const discard = () => {
    draft.reset();
    reset();
  };

  const isSaved = data?.updatePurchaseRequest != null && !isChanged;
  const savedText = isSaved ? 'Saved.' : '';
  const status = loading ? 'Saving …' : savedText;
  const conflicts = loading
    ? []
    : draft.conflicts.map((field) => [field, wordConflict(field, saved, form)]);
  return (
    <form className="stack" onSubmit={submit}>
      <Fields
        draft={draft}
        form={form}
        messages={{ ...Object.fromEntries(conflicts), ...violationsOf(error) }}
      />
      <Problems error={error} />
      <p className="actions">
        {/* A disabled button would lose the focus. */}
        <button type="submit" className="primary" aria-disabled={loading || !isChanged}>
          Save
        </button>
        {isChanged && !loading && (
          <button type="button" onClick={discard}>
            Discard changes
          </button>
        )}
        <span role="status">{status}</span>
      </p>
    </form>
  );
}

const CONFLICT =
  'Somebody else has changed this request meanwhile. See the fields, and save again to overwrite it.';

function wordConflict(field: Field, saved: Values, { targets }: FormDefinition): string {
  const value = saved[field];
  const target = Object.values(targets)
    .flatMap((instances) => instances ?? [])
    .find(({ id }) => id === value);
  const plainText = field === 'status' ? formatChoice(saved.status) : String(value);
  const text = target?.name ?? plainText;
  if (text === '') return 'Somebody else has cleared it.';
  return `Somebody else has changed it to “${text}”.`;
}
