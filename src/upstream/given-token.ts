import { UpstreamError } from './errors.ts';
import type { Token, TokenSource } from './token-source.ts';

/**
 * Holds one token that a caller brought. It cannot be renewed: once it has ended or is refused, every call is
 * `signed-out` without being made.
 */
export function createGivenToken(token: Token, now: () => number = Date.now): TokenSource {
  let isRefused = false;
  return {
    async current() {
      if (isRefused || now() >= token.expiresAtMs) throw signedOut();
      return token;
    },
    discard(refused) {
      if (refused === token) isRefused = true;
    },
  };
}

/** The tokens of a caller who has not signed in: there are none. */
export const noToken: TokenSource = {
  async current() {
    throw signedOut();
  },
  discard: () => undefined,
};

const signedOut = () => new UpstreamError('signed-out', { operation: 'getToken' });
