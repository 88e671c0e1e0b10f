/** `caseway/client/react-apollo`: live lists for React with Apollo Client 4. */
import type { OperationVariables, TypedDocumentNode } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';

import type { CasewayContext } from './apollo.ts';
import { type LiveList, selectData, useLive } from './live.ts';

export type { LiveConnection, LiveList } from './live.ts';

export interface LiveListOptions<Data, Variables extends OperationVariables> {
  /** The query whose result in the cache is kept current. */
  readonly query: TypedDocumentNode<Data, Variables>;
  /** A subscription with the selection of the query. */
  readonly subscription: TypedDocumentNode<Data, Variables>;
  readonly variables: Variables;
  /** Whether to stay closed, for example before the query has its result. */
  readonly skip?: boolean;
}

/**
 * Keeps the result of a query current: each result of the subscription replaces it in the cache, so
 * `useQuery` shows it. The stream is closed while the page is hidden. The client needs
 * `createRetryLink`, which opens a lost stream again.
 *
 * @example
 * const { data } = useQuery(REQUESTS, { variables });
 * const { connection } = useLiveList({ query: REQUESTS, subscription: LIVE_REQUESTS, variables });
 */
export function useLiveList<Data, Variables extends OperationVariables>(
  options: LiveListOptions<Data, Variables>,
): LiveList<Data> {
  const { query, variables, skip = false } = options;
  const client = useApolloClient();
  return useLive<Data>(
    ({ next, complete, reconnecting }) => {
      const context: CasewayContext = { onReconnecting: reconnecting };
      const stream = client.subscribe<Data, OperationVariables>({
        query: options.subscription,
        variables,
        errorPolicy: 'all',
        // The query's result is the only copy.
        fetchPolicy: 'no-cache',
        context,
      });
      const subscription = stream.subscribe({
        next({ data, error, extensions }) {
          const result = { data: data as Data | undefined, error, extensions };
          const shown = selectData(result);
          if (shown) client.writeQuery<Data, OperationVariables>({ query, variables, data: shown });
          next(result);
        },
        error: complete,
        complete: () => complete(),
      });
      return () => subscription.unsubscribe();
    },
    skip,
    variables,
    [client, query, options.subscription],
  );
}
