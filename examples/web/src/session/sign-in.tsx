import type { SubmitEvent } from 'react';
import { useMutation } from 'urql';

import { graphql } from '../__generated__/index.ts';
import { SIGNING_IN } from '../shared/client.ts';
import { isSignedOut } from '../shared/problem.ts';
import { Problems } from '../shared/problems.tsx';

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
  /** Why one has to. */
  readonly notice?: string;
  readonly onSignedIn: () => void;
}

export function SignIn({ notice, onSignedIn }: SignInProps) {
  const [{ error, fetching }, signIn] = useMutation(SIGN_IN);

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const input = { username: String(form.get('username')), password: String(form.get('password')) };
    const { data } = await signIn({ input }, SIGNING_IN);
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
        {error && isSignedOut(error) ? (
          <p className="problems" role="alert">
            The platform does not know this name with this password.
          </p>
        ) : (
          <Problems error={error} />
        )}
        <button type="submit" className="primary" disabled={fetching}>
          {fetching ? 'Signing in …' : 'Sign in'}
        </button>
      </form>
    </main>
  );
}
