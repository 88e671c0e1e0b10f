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
    /** Resolves when the operation may be sent; a rejection fails the operation unsent. */
    readonly before?: () => Promise<void>;
    /** The operation signs in, so its refusal ends no session. */
    readonly isSignIn?: boolean;
    /** Says whether the results of a subscription come. */
    readonly onConnection?: (connection: Connection) => void;
  }
}

/**
 * Makes a client whose normalized cache belongs to one person: make another one when somebody else signs in.
 *
 * @param onUnauthenticated runs when the gateway does not know the session, or not any more.
 */
export function createClient(onUnauthenticated: () => void): ApolloClient {
  return new ApolloClient({
    cache: new InMemoryCache({
      ...possibleTypes,
      // Pages of one list are merged; another filter or order is another list. All else the cache knows by `id`.
      typePolicies: { Query: { fields: { purchaseRequests: relayStylePagination(['where', 'orderBy']) } } },
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
      // The session is a cookie that no script can read; the header shows that a script of this page sent the request.
      new HttpLink({ uri: '/graphql', headers: { 'x-csrf': '1' }, credentials: 'same-origin' }),
    ]),
  });
}
