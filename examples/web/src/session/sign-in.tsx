import { useMutation } from '@apollo/client/react';
import type { SubmitEvent } from 'react';

import { graphql } from '../__generated__/index.ts';
import { Problems } from '../graphql/problems.tsx';

const SIGN_IN = graphql(`
  mutation SignIn($input: SignInInput!) {
    signIn(input: $input) {
      viewer {
        name
      }
    }
  }
`);

interface SignInProps {
  /** The reason for signing in again. */
  readonly notice: string | undefined;
  readonly onSignedIn: () => void;
}

/** Signs in. The gateway sets the session's cookie, so there is no token to store. */
export function SignIn({ notice, onSignedIn }: SignInProps) {
  const [signIn, { error, loading }] = useMutation(SIGN_IN, {
    errorPolicy: 'all',
    context: { isSignIn: true },
  });

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const input = {
      username: String(form.get('username')),
      password: String(form.get('password')),
    };
    const { data } = await signIn({ variables: { input } });
    if (data?.signIn) onSignedIn();
  };

  return (
    <main className="narrow">
      <title>Sign in – Purchase requests</title>
      <h1>Purchase requests</h1>
      {notice !== undefined && (
        <p className="notice" role="status">
          {notice}
        </p>
      )}
      <form className="card stack" onSubmit={submit}>
        <label>
          User name
          <input name="username" autoComplete="username" required />
        </label>
        <label>
          Password
          <input name="password" type="password" autoComplete="current-password" required />
        </label>
        <Problems error={error} />
        <button type="submit" className="primary" disabled={loading}>
          {loading ? 'Signing in …' : 'Sign in'}
        </button>
      </form>
    </main>
  );
}
