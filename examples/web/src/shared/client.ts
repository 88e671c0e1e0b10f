import { Client, cacheExchange, fetchExchange, mapExchange } from 'urql';

import { isSignedOut } from './problem.ts';

/** The context of the operation that signs in, whose refusal ends no session. */
export const SIGNING_IN = { isSigningIn: true };

/**
 * Makes the client of one person's visit. What it keeps is theirs: when they go, it goes.
 *
 * @param onSignedOut is told when the gateway does not know the session any more.
 */
export function createGraphqlClient(onSignedOut: () => void): Client {
  return new Client({
    url: '/graphql',
    preferGetMethod: false,
    // The session is a cookie, which comes along by itself; this header shows that it was a script of ours that asked.
    fetchOptions: { headers: { 'x-csrf': '1' }, credentials: 'same-origin' },
    exchanges: [
      mapExchange({
        onError(error, { context }) {
          if (isSignedOut(error) && !('isSigningIn' in context)) onSignedOut();
        },
      }),
      cacheExchange,
      fetchExchange,
    ],
  });
}
