import { useApolloClient, useMutation } from '@apollo/client/react';
import { createIdempotencyKey, errorsOf, type ResponseError, violationsOf } from 'caseway/client';
import type { SubmitEvent } from 'react';

import {
  type EditedRequestFragment,
  type RequestValuesFragment,
  RequestValuesFragmentDoc,
} from '../__generated__/graphql.ts';
import { graphql } from '../__generated__/index.ts';
import { formatChoice } from '../format.ts';
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
  const { instanceId } = request;
  const idempotency = createIdempotencyKey(sessionStorage, `edit of ${instanceId}`);
  const [update, { data, error, loading, reset }] = useMutation(UPDATE_REQUEST, {
    errorPolicy: 'all',
    context: { idempotency },
  });
  const saved = toValues(request);
  const draft = useDraft(saved);
  const isChanged = Object.keys(draft.changed).length > 0;

  /** Shows the present values after a conflict. */
  const showCurrent = (failure: unknown) => {
    const [{ extensions } = {}] = errorsOf(failure) as Partial<ResponseError>[];
    const current = extensions?.['current'] as RequestValuesFragment | undefined;
    if (!current) return;
    const fragment = { fragment: RequestValuesFragmentDoc, fragmentName: 'RequestValues' };
    client.writeFragment({ ...fragment, from: current, data: current });
  };

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (loading || !isChanged) return;
    const { changed } = draft;
    const fields = Object.keys(changed) as Field[];
    const seen = Object.fromEntries(fields.map((field) => [field, saved[field]]));
    const result = await update({
      // If somebody else has changed one of the fields, nothing is sent.
      variables: { input: { instanceId, values: toInput(changed), expected: toInput(seen) } },
      optimisticResponse: { updatePurchaseRequest: { instance: withValues(request, changed) } },
    });
    showCurrent(result.error);
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
    : draft.conflicts.map((field) => [`values.${field}`, [wordConflict(field, saved, form)]]);
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
