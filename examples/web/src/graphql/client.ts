import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import { ErrorLink } from '@apollo/client/link/error';
import { codesOf, isUnauthenticated } from 'caseway/client';
import {
  type CasewayContext,
  createIdempotencyLink,
  createRetryLink,
  typePolicies,
} from 'caseway/client/apollo';

import result from '../__generated__/possible-types.ts';
import { dropEmptyData, forgetFailedFields } from './failed-fields.ts';

declare module '@apollo/client' {
  interface DefaultContext extends CasewayContext {
    /** Whether the operation signs in. If the gateway rejects it, no session ends. */
    readonly isSignIn?: boolean;
  }
}

/**
 * Creates a client with a normalized cache for one user. Create another one when another user signs
 * in.
 *
 * @param onUnauthenticated called when the gateway does not accept the session.
 */
export function createClient(onUnauthenticated: () => void): ApolloClient {
  const { possibleTypes } = result;
  return new ApolloClient({
    cache: new InMemoryCache({ possibleTypes, typePolicies: typePolicies(possibleTypes) }),
    link: ApolloLink.from([
      new ErrorLink(({ error, operation }) => {
        const { isSignIn, idempotency } = operation.getContext();
        if (isUnauthenticated(error) && !isSignIn) onUnauthenticated();
        // The message asks the user to check. A change that is saved after that is a new one.
        if (codesOf(error).includes('OUTCOME_UNKNOWN')) idempotency?.renew();
      }),
      forgetFailedFields,
      dropEmptyData,
      createIdempotencyLink(),
      // Users repeat failed requests by a button. Only lost subscriptions are opened again.
      createRetryLink({ attempts: 1 }),
      // The session is a cookie that scripts cannot read. The header proves that this page sent the
      // request.
      new HttpLink({ uri: '/graphql', headers: { 'x-csrf': '1' }, credentials: 'same-origin' }),
    ]),
  });
}
