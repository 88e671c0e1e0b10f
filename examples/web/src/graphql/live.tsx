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

/**
 * How a screen is kept up to date: by results that come (`stale` where the platform does not answer the gateway), not for the moment
 * (`paused` by the screen itself), not any more, or not at all.
 */
export type Connection = 'live' | 'stale' | 'reconnecting' | 'paused' | 'ended' | 'off';

/** Tells the context's `onConnection` of each change. */
const report = new ApolloLink((operation, forward) => {
  const { onConnection } = operation.getContext();
  // A gateway without live queries answers once, with an error.
  let hasOpened = false;
  return forward(operation).pipe(
    tap({
      next({ data, extensions }) {
        hasOpened ||= Boolean(data);
        onConnection?.(extensions?.['stale'] === undefined ? 'live' : 'stale');
      },
      error: (error) => onConnection?.(isRefused(error) ? 'off' : 'reconnecting'),
      complete: () => onConnection?.(hasOpened ? 'ended' : 'off'),
      unsubscribe: () => onConnection?.('paused'),
    }),
  );
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
export function useLive<Data, Variables extends OperationVariables>(options: LiveOptions<Data, Variables>): Connection {
  const { query, subscription, variables } = options;
  const client = useApolloClient();
  const [connection, setConnection] = useState<Connection>('off');
  const isHidden = useSyncExternalStore(onVisibilityChange, () => document.visibilityState === 'hidden');
  const { data } = useSubscription<Data, OperationVariables>(subscription, {
    variables,
    skip: options.skip || isHidden,
    errorPolicy: 'all',
    context: { onConnection: setConnection },
  });
  const show = useEffectEvent((data: Data) => {
    client.writeQuery<Data, OperationVariables>({ query, variables, data });
  });
  useEffect(() => {
    if (data) show(data);
  }, [data]);
  return connection;
}

function onVisibilityChange(onChange: () => void): () => void {
  document.addEventListener('visibilitychange', onChange);
  return () => document.removeEventListener('visibilitychange', onChange);
}

/** A small sign beside what is up to date by itself, and what to think of it while it is not. */
export function LiveSign({ connection }: { readonly connection: Connection }) {
  const { text, title } = SIGNS[connection];
  return (
    <small className={`live live-${connection}`} aria-live="polite" title={title}>
      {text}
    </small>
  );
}

const SIGNS = {
  live: { text: 'Live', title: 'This screen shows what others change.' },
  stale: { text: 'Not up to date', title: 'The platform does not answer. This is what was last known.' },
  reconnecting: { text: 'Reconnecting …', title: 'The connection is lost. What others change meanwhile is not shown.' },
  paused: { text: 'Paused', title: 'This screen stands still. What others change meanwhile is shown afterwards.' },
  ended: { text: 'Not live', title: 'What others change is not shown any more.' },
  off: { text: '', title: undefined },
} satisfies Record<Connection, { readonly text: string; readonly title: string | undefined }>;
