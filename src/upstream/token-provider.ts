import { UpstreamError } from '../core/errors.ts';
import { steadyNow } from '../core/request-state.ts';

/** A token for requests. */
export interface Token {
  /** The complete `Authorization` header, with the scheme if the upstream expects one. */
  readonly authorization: string;
  /** When the token expires, in milliseconds of `steadyNow`. */
  readonly expiresAtMs: number;
  /** The expiry that the upstream sent, in milliseconds of `steadyNow`. */
  readonly statedExpiryMs?: number | undefined;
}

/**
 * The caller key for tokens that the platform has not yet accepted. They share all limits, because
 * anyone can invent tokens.
 */
export const UNACCEPTED = 'unaccepted';

/** The token of one identity. */
export interface TokenProvider {
  /**
   * Returns a valid token. Without one, returns a promise of a new token, which is fetched once for
   * all waiting calls.
   */
  current(): Token | Promise<Token>;
  /**
   * Drops a refused token, so that the next call fetches a new one. Ignored if there is a newer
   * token, or if another token was refused a moment ago.
   */
  discard(refused: Token): void;
  /** Runs after each call that the upstream accepted. Absent for the gateway's own token. */
  readonly onAccepted?: (() => void) | undefined;
}

/**
 * Renews a token of `owner`. `known` has expired, expires soon or was refused. Returns another
 * token: from `issue`, or from another gateway with the same credentials.
 */
export type Renewal = (
  owner: string,
  issue: () => Promise<Token>,
  known: Token | undefined,
) => Promise<Token>;

interface TokenProviderOptions {
  /** Fetches a new token by `getToken`. */
  readonly issue: (latest: Token | undefined) => Promise<Token>;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
  /** Returns a number from 0 to 1, for the jitter of renewals. */
  readonly random?: () => number;
}

/** The part of its lifetime after which a token is renewed, before jitter. */
const RENEWAL_SHARE = 0.8;
/** Jitter, so that gateways that started together do not renew together. */
const RENEWAL_JITTER = 0.1;

/**
 * Creates the source of the gateway's own token. It renews the token when it is missing, dropped or
 * expired, once for all waiting calls. A token near its expiry is renewed in the background while
 * calls use it.
 *
 * A failed renewal rejects for all waiting calls, and for calls in the following moments: one to
 * five seconds after refused credentials, and with exponential backoff if the issuer fails.
 */
export function createTokenProvider(options: TokenProviderOptions) {
  const { issue, now = steadyNow, random = Math.random } = options;
  let held: { readonly token: Token; readonly renewAtMs: number } | undefined;
  let latest: Token | undefined;
  let renewal: Promise<Token> | undefined;
  let keptUntilMs = Number.NEGATIVE_INFINITY;
  const backoff = createBackoff(now, random);

  const renew = async (): Promise<Token> => {
    const startedAtMs = now();
    try {
      const token = await issue(latest);
      latest = token;
      const share = RENEWAL_SHARE + RENEWAL_JITTER * (2 * random() - 1);
      held = { token, renewAtMs: startedAtMs + (token.expiresAtMs - startedAtMs) * share };
      backoff.clear();
      return token;
    } catch (error) {
      backoff.failed(error);
      throw error;
    } finally {
      renewal = undefined;
    }
  };
  const startRenewal = (): Promise<Token> => {
    const failure = renewal === undefined && backoff.failure();
    if (failure) return Promise.reject(failure);
    renewal ??= renew();
    return renewal;
  };

  return {
    current(): Token | Promise<Token> {
      if (held === undefined || now() >= held.token.expiresAtMs) return startRenewal();
      // Before expiry calls do not wait, and a failed renewal does not matter yet.
      if (now() >= held.renewAtMs) startRenewal().catch(() => undefined);
      return held.token;
    },
    discard(refused: Token): void {
      // Many calls may be refused with the same token. Only the first may cause a renewal.
      if (held?.token !== refused || now() < keptUntilMs) return;
      keptUntilMs = now() + refusedMs(random);
      held = undefined;
    },
    /**
     * Fetches a new token now, despite earlier failures. The current one is used until then.
     * Rejects if no token is available.
     */
    async renew(): Promise<void> {
      // A renewal in flight uses the old credentials.
      await renewal?.catch(() => undefined);
      keptUntilMs = Number.NEGATIVE_INFINITY;
      backoff.clear();
      await startRenewal();
    },
  };
}

interface GivenTokenEvents extends Pick<TokenProvider, 'onAccepted'> {
  /** Runs when the upstream refuses the token. */
  readonly onRefused?: () => void;
}

/**
 * Creates the source of a caller's token, which cannot be renewed. After expiry, and for a moment
 * after a refusal, calls fail as `signed-out` without being sent. After that moment the token is
 * tried again, because the platform may accept it again.
 */
export function createGivenToken(
  token: Token,
  { onAccepted, onRefused }: GivenTokenEvents = {},
): TokenProvider {
  let refusedUntilMs = Number.NEGATIVE_INFINITY;
  return {
    onAccepted,
    current: () =>
      steadyNow() < refusedUntilMs || steadyNow() >= token.expiresAtMs ? signedOut() : token,
    discard(refused) {
      if (refused !== token) return;
      refusedUntilMs = steadyNow() + GIVEN_REFUSED_MS;
      onRefused?.();
    },
  };
}

/** The token source of a caller without a token. */
export const noToken: TokenProvider = {
  current: () => signedOut(),
  discard: () => undefined,
};

const signedOut = async (): Promise<never> => {
  throw new UpstreamError('signed-out', { operation: 'getToken' });
};

/**
 * How long a refused token of a caller counts as refused, in milliseconds. A platform may refuse it
 * by mistake.
 */
export const GIVEN_REFUSED_MS = 2_000;

/** How long refused credentials and tokens count as refused, in milliseconds. */
const REFUSED_FROM_MS = 1_000;
const REFUSED_TO_MS = 5_000;
const refusedMs = (random: () => number): number =>
  REFUSED_FROM_MS + (REFUSED_TO_MS - REFUSED_FROM_MS) * random();

/** The first and the longest delay after a failed renewal. The delay doubles each time. */
const BACKOFF_FROM_MS = 250;
const BACKOFF_TO_MS = 5_000;

/** Creates the backoff of renewals, so that many callers do not cause many calls. */
function createBackoff(now: () => number, random: () => number) {
  let last: { readonly error: unknown; readonly untilMs: number } | undefined;
  let failures = 0;
  return {
    /** Returns the last failure while no renewal may be tried; otherwise `undefined`. */
    failure: () => (last !== undefined && now() < last.untilMs ? last.error : undefined),
    failed(error: unknown) {
      const isRefused = error instanceof UpstreamError && error.failure === 'unauthenticated';
      const retryAfterMs = error instanceof UpstreamError ? (error.retryAfterMs ?? 0) : 0;
      const backoffMs =
        Math.min(BACKOFF_FROM_MS * 2 ** failures, BACKOFF_TO_MS) * (0.5 + 0.5 * random());
      last = {
        error,
        untilMs: now() + Math.max(isRefused ? refusedMs(random) : backoffMs, retryAfterMs),
      };
      failures++;
    },
    clear() {
      last = undefined;
      failures = 0;
    },
  };
}
