import { ApolloLink, type OperationVariables, type TypedDocumentNode } from '@apollo/client';
import { ServerError } from '@apollo/client/errors';
import { RetryLink } from '@apollo/client/link/retry';
import { useApolloClient, useSubscription } from '@apollo/client/react';
import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import { tap } from 'rxjs';

/** Opens a stream again that was cut off, and leaves alone what was refused: a gateway may have no live queries. */
const reopen = new RetryLink({
  delay: { max: 30_000 },
  attempts: {
    max: Number.POSITIVE_INFINITY,
    retryIf: (error, { operationType }) => operationType === 'subscription' && !isRefused(error),
  },
});

const isRefused = (error: unknown): boolean =>
  ServerError.is(error) && error.statusCode < 500 && error.statusCode !== 429;

/** Says by the context's `onLive` whether results come. */
const report = new ApolloLink((operation, forward) => {
  const { onLive } = operation.getContext();
  return forward(operation).pipe(tap({ next: () => onLive?.(true), finalize: () => onLive?.(false) }));
});

/** What subscriptions need before the link that sends them. */
export const live = ApolloLink.from([reopen, report]);

interface LiveOptions<Data, Variables extends OperationVariables> {
  readonly query: TypedDocumentNode<Data, Variables>;
  /** Has the query's selection. */
  readonly subscription: TypedDocumentNode<Data, Variables>;
  readonly variables: Variables;
  /** Not while there is nothing on the screen. */
  readonly skip: boolean;
}

/**
 * Follows a query: each result of its subscription takes the place of the query's in the cache. The stream is closed while the
 * page is hidden; its first result is the state, so nothing is missed.
 *
 * @returns whether the screen is up to date by itself.
 */
export function useLive<Data, Variables extends OperationVariables>(options: LiveOptions<Data, Variables>): boolean {
  const { query, subscription, variables } = options;
  const client = useApolloClient();
  const [isLive, setIsLive] = useState(false);
  const isHidden = useSyncExternalStore(onVisibilityChange, () => document.visibilityState === 'hidden');
  const { data } = useSubscription<Data, OperationVariables>(subscription, {
    variables,
    skip: options.skip || isHidden,
    errorPolicy: 'all',
    context: { onLive: setIsLive },
  });
  const show = useEffectEvent((data: Data) => {
    client.writeQuery<Data, OperationVariables>({ query, variables, data });
  });
  useEffect(() => {
    if (data) show(data);
  }, [data]);
  return isLive;
}

function onVisibilityChange(onChange: () => void): () => void {
  document.addEventListener('visibilitychange', onChange);
  return () => document.removeEventListener('visibilitychange', onChange);
}

/** A small sign beside what is up to date by itself. */
export function LiveSign({ isLive }: { readonly isLive: boolean }) {
  return isLive && <small className="live">Live</small>;
}
