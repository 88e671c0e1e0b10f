import { ApolloLink, type OperationVariables, type TypedDocumentNode } from '@apollo/client';
import { ServerError } from '@apollo/client/errors';
import { RetryLink } from '@apollo/client/link/retry';
import { useApolloClient, useSubscription } from '@apollo/client/react';
import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import { tap } from 'rxjs';

/**
 * Reopens a stream whose connection was lost. It does not retry a rejected one: the gateway may
 * have no live queries.
 */
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
 * The state of a live screen.
 * - `live`: results arrive.
 * - `stale`: the platform does not answer the gateway.
 * - `reconnecting`: the stream is being reopened.
 * - `paused`: the screen paused it.
 * - `ended`: the stream has ended.
 * - `off`: the gateway has no live queries.
 */
export type Connection = 'live' | 'stale' | 'reconnecting' | 'paused' | 'ended' | 'off';

/** Passes each change of the connection to the context's `onConnection`. */
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

/** The links for subscriptions, before the link that sends them. */
export const live = ApolloLink.from([reopen, report]);

interface LiveOptions<Data, Variables extends OperationVariables> {
  readonly query: TypedDocumentNode<Data, Variables>;
  /** A subscription with the query's selection. */
  readonly subscription: TypedDocumentNode<Data, Variables>;
  readonly variables: Variables;
  /** Whether to stay closed, for example while the screen is empty. */
  readonly skip: boolean;
}

/**
 * Keeps a query's result live: each result of the subscription replaces it in the cache. The stream
 * is closed while the page is hidden. Nothing is missed, because the first result is the current
 * state.
 *
 * @returns the state of the connection.
 */
export function useLive<Data, Variables extends OperationVariables>(
  options: LiveOptions<Data, Variables>,
): Connection {
  const { query, subscription, variables } = options;
  const client = useApolloClient();
  const [connection, setConnection] = useState<Connection>('off');
  const isHidden = useSyncExternalStore(
    onVisibilityChange,
    () => document.visibilityState === 'hidden',
  );
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

/** A small sign with the state of the connection. */
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
  stale: {
    text: 'Not up to date',
    title: 'The platform does not answer. This is what was last known.',
  },
  reconnecting: {
    text: 'Reconnecting …',
    title: 'The connection is lost. What others change meanwhile is not shown.',
  },
  paused: {
    text: 'Paused',
    title: 'This screen stands still. What others change meanwhile is shown afterwards.',
  },
  ended: { text: 'Not live', title: 'What others change is not shown any more.' },
  off: { text: '', title: undefined },
} satisfies Record<Connection, { readonly text: string; readonly title: string | undefined }>;
