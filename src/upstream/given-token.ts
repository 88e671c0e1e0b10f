import { UpstreamError } from './errors.ts';
import type { Token, TokenSource } from './token-source.ts';

/** A platform may refuse by mistake, for a moment; so long its refusal is taken for true. */
const REFUSED_MS = 2_000;

/**
 * Holds one token that a caller brought. It cannot be renewed: once it has ended, and for two seconds after it was
 * refused, every call is `signed-out` without being made.
 */
export function createGivenToken(token: Token, now: () => number = Date.now): TokenSource {
  let refusedUntilMs = 0;
  return {
    async current() {
      if (now() < refusedUntilMs || now() >= token.expiresAtMs) throw signedOut();
      return token;
    },
    discard(refused) {
      if (refused === token) refusedUntilMs = now() + REFUSED_MS;
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
