import { UpstreamError } from '../core/errors.ts';
import { steadyNow } from '../core/work.ts';

/** One token, ready to send. */
export interface Token {
  /** The whole `Authorization` header value, scheme included where the upstream wants one. */
  readonly authorization: string;
  /** When the upstream stops accepting it, in milliseconds of `steadyNow`. */
  readonly expiresAtMs: number;
  /** The expiry that the upstream itself stated, in milliseconds of `steadyNow`, where it did. */
  readonly statedExpiryMs?: number | undefined;
}

/** Callers whose token the platform has not accepted yet are this one to all limits: anybody can make tokens up. */
export const UNACCEPTED = 'unaccepted';

/** The token of one identity. */
export interface TokenSource {
  /** Gives a usable token: the current one at once, or a promise of a new one, which is fetched once for all callers. */
  current(): Token | Promise<Token>;
  /**
   * Drops a token that was refused, so that the next call gets a new one. Does nothing when there is a newer token, nor when
   * another one was refused a moment ago: a third would fare no better.
   */
  discard(refused: Token): void;
  /** Called for each call that the upstream did with the token. Absent for a token that the gateway got from the platform itself. */
  readonly onAccepted?: (() => void) | undefined;
}

/**
 * Gives a token of `owner` other than the `known` one, which has expired, expires soon or was refused: by `issue`, or one that
 * another gateway with the same credentials was issued.
 */
export type Renewal = (
  owner: string,
  issue: () => Promise<Token>,
  known: Token | undefined,
) => Promise<Token>;

interface TokenSourceOptions {
  /** Gives a new token (`getToken`), other than the latest. */
  readonly issue: (latest: Token | undefined) => Promise<Token>;
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number;
  /** From 0 up to 1, for the jitter of renewals. */
  readonly random?: () => number;
}

/** The share of its lifetime after which a token is renewed ahead of its expiry, give or take the jitter. */
const RENEWAL_SHARE = 0.8;
/** Gateways that started together do not renew together. */
const RENEWAL_JITTER = 0.1;

/**
 * Holds one token of the gateway itself, whose credentials may change, and renews it when it is missing, dropped or expired; one renewal serves all who wait.
 * A token near its expiry is renewed in the background, while calls use the current one.
 *
 * A failed renewal rejects for those who waited for it, and for those who need the token within the next moments: a second or more
 * where credentials were refused, and ever longer where the issuer fails.
 */
export function createTokenSource(options: TokenSourceOptions) {
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
      // Ahead of expiry no call waits, and a failure does not matter while the current token is valid.
      if (now() >= held.renewAtMs) startRenewal().catch(() => undefined);
      return held.token;
    },
    discard(refused: Token): void {
      // Many calls may be refused with the same old token; only the first may cost a renewal.
      if (held?.token !== refused || now() < keptUntilMs) return;
      keptUntilMs = now() + refusedMs(random);
      held = undefined;
    },
    /** Gets a new token now, whatever failed before; the current one serves until it is there. Rejects when none can be had. */
    async renew(): Promise<void> {
      // One that is under way is made with the credentials of before.
      await renewal?.catch(() => undefined);
      keptUntilMs = Number.NEGATIVE_INFINITY;
      backoff.clear();
      await startRenewal();
    },
  };
}

interface GivenTokenEvents extends Pick<TokenSource, 'onAccepted'> {
  /** Called when the upstream refused the token. */
  readonly onRefused?: () => void;
}

/**
 * Holds one token that a caller brought, which cannot be renewed. While it has expired, and for a moment after it was refused,
 * every call is `signed-out` without being made; after that it is tried again, since a platform may accept it again.
 */
export function createGivenToken(
  token: Token,
  { onAccepted, onRefused }: GivenTokenEvents = {},
): TokenSource {
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

/** The token source of a caller who has not signed in: it has no token. */
export const noToken: TokenSource = {
  current: () => signedOut(),
  discard: () => undefined,
};

const signedOut = async (): Promise<never> => {
  throw new UpstreamError('signed-out', { operation: 'getToken' });
};

/** A platform may refuse a caller's token by mistake, for a moment; its refusal counts for so long, in milliseconds. */
export const GIVEN_REFUSED_MS = 2_000;

/** Credentials and tokens that were refused count as refused for so long, in milliseconds. */
const REFUSED_FROM_MS = 1_000;
const REFUSED_TO_MS = 5_000;
const refusedMs = (random: () => number): number =>
  REFUSED_FROM_MS + (REFUSED_TO_MS - REFUSED_FROM_MS) * random();

/** An issuer that fails is tried again after so long, and each time after twice as long, up to the longest. */
const BACKOFF_FROM_MS = 250;
const BACKOFF_TO_MS = 5_000;

/** Keeps renewals apart that would fail anyway, so that many callers do not become many calls. */
function createBackoff(now: () => number, random: () => number) {
  let last: { readonly error: unknown; readonly untilMs: number } | undefined;
  let failures = 0;
  return {
    /** The failure that stands for a renewal now; `undefined` when one may be tried. */
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
