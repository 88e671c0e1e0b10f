import { ApolloProvider } from '@apollo/client/react';
import { useState } from 'react';

import { createClient } from '../graphql/client.ts';
import { Shell } from '../shell.tsx';
import { SignIn } from './sign-in.tsx';
import { VIEWER } from './viewer.ts';

/**
 * Shows the sign-in if the gateway requires it, otherwise the application. A gateway with its own
 * credentials (`IDENTITY=service`) never requires it.
 */
export function Session() {
  const [signIn, setSignIn] = useState<{ readonly notice?: string }>();

  const startVisit = () => {
    const client = createClient(() => {
      const wasSignedIn = Boolean(client.readQuery({ query: VIEWER })?.viewer);
      setSignIn((shown) => shown ?? (wasSignedIn ? { notice: ENDED } : {}));
    });
    return client;
  };
  const [client, setClient] = useState(startVisit);

  const onSignedIn = () => {
    setClient(startVisit());
    setSignIn(undefined);
  };
  const onSignedOut = () => {
    sessionStorage.clear();
    setClient(startVisit());
    setSignIn({});
  };
  return (
    <ApolloProvider client={client}>
      {signIn ? (
        <SignIn notice={signIn.notice} onSignedIn={onSignedIn} />
      ) : (
        <Shell onSignedOut={onSignedOut} />
      )}
    </ApolloProvider>
  );
}

const ENDED = 'Your session has ended. Sign in to continue where you were.';
