import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import { SetContextLink } from '@apollo/client/link/context';
import { ErrorLink } from '@apollo/client/link/error';
import { relayStylePagination } from '@apollo/client/utilities';

import possibleTypes from '../__generated__/possible-types.ts';
import { isUnauthenticated } from './errors.ts';
import { dropEmptyData, forgetFailedFields } from './failed-fields.ts';
import { type Connection, live } from './live.tsx';

declare module '@apollo/client' {
  interface DefaultContext {
    /**
     * Resolves when the operation may be sent. If it rejects, the operation fails without being
     * sent.
     */
    readonly before?: () => Promise<void>;
    /** Whether the operation signs in. If the gateway rejects it, no session ends. */
    readonly isSignIn?: boolean;
    /** Called when the state of a subscription's connection changes. */
    readonly onConnection?: (connection: Connection) => void;
  }
}

/**
 * Creates a client with a normalized cache for one user. Create another one when another user signs
 * in.
 *
 * @param onUnauthenticated called when the gateway does not accept the session.
 */
export function createClient(onUnauthenticated: () => void): ApolloClient {
  return new ApolloClient({
    cache: new InMemoryCache({
      ...possibleTypes,
      // Merges the pages of a list. Another filter or order is another list. Other objects are
      // cached by `id`.
      typePolicies: {
        Query: { fields: { purchaseRequests: relayStylePagination(['where', 'orderBy']) } },
      },
    }),
    link: ApolloLink.from([
      new ErrorLink(({ error, operation }) => {
        if (isUnauthenticated(error) && !operation.getContext().isSignIn) onUnauthenticated();
      }),
      new SetContextLink(async ({ before }) => {
        await before?.();
        return {};
      }),
      forgetFailedFields,
      dropEmptyData,
      live,
      // The session is a cookie that scripts cannot read. The header proves that this page sent the
      // request.
      new HttpLink({ uri: '/graphql', headers: { 'x-csrf': '1' }, credentials: 'same-origin' }),
    ]),
  });
}
