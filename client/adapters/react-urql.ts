/** `caseway/client/react-urql`: live lists for React with urql. */
import { type AnyVariables, type TypedDocumentNode, useClient } from 'urql';

import { type LiveList, useLive } from './live.ts';

export type { LiveConnection, LiveList } from './live.ts';

export interface LiveListOptions<Data, Variables extends AnyVariables> {
  readonly subscription: TypedDocumentNode<Data, Variables>;
  readonly variables: Variables;
  /** Whether to stay closed, for example before the query has its result. */
  readonly pause?: boolean;
}

/**
 * Subscribes to a list and returns its last result, which replaces the result of the query on the
 * screen. The stream is closed while the page is hidden. The client needs a `subscriptionExchange`
 * with `forwardSubscription` of `caseway/client/urql`, which opens a lost stream again.
 *
 * @example
 * const [result] = useQuery({ query: REQUESTS, variables });
 * const live = useLiveList({ subscription: LIVE_REQUESTS, variables });
 * const data = live.data ?? result.data;
 */
export function useLiveList<Data, Variables extends AnyVariables>(
  options: LiveListOptions<Data, Variables>,
): LiveList<Data> {
  const { subscription, variables, pause = false } = options;
  const client = useClient();
  return useLive<Data>(
    ({ next, complete, reconnecting }) => {
      const context = { onReconnecting: reconnecting };
      const stream = client.subscription<Data, Variables>(subscription, variables, context);
      const { unsubscribe } = stream.subscribe(({ data, error, extensions, hasNext }) => {
        if (hasNext || error) next({ data, error, extensions });
        if (!hasNext) complete(error);
      });
      return unsubscribe;
    },
    pause,
    variables,
    [client, subscription],
  );
}
