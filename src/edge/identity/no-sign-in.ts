import type { Session, Viewer } from '../../graphql/session.ts';
import { InputError } from '../../upstream/errors.ts';

/** The session of a caller who is known, or not, without signing in here. */
export function noSignIn(viewer: Viewer | undefined): Session {
  return {
    viewer,
    async signIn() {
      throw new InputError('Callers do not sign in at this gateway.');
    },
    async signOut() {
      throw new InputError('Callers do not sign in at this gateway, so there is nothing to sign out of.');
    },
  };
}
