import { createRenewalPause } from './renewal-pause.ts';

/** One token, ready to send. */
export interface Token {
  /** The whole `Authorization` header value, scheme included where the upstream wants one. */
  readonly authorization: string;
  /** When the upstream stops taking it, in epoch milliseconds. */
  readonly expiresAtMs: number;
  /** The end that the upstream stated itself, in epoch milliseconds, where it did. */
  readonly statedExpiryMs?: number | undefined;
}

export interface TokenSource {
  /** Resolves to a usable token. However many callers ask at once, one is fetched. */
  current(): Promise<Token>;
  /**
   * Forgets `refused`, so that the next one who asks gets a new token. Does nothing once a newer token is held, nor
   * when another one was refused a moment ago: a third would fare no better.
   */
  discard(refused: Token): void;
}

/**
 * Gives a token other than the `known` one, which has ended, ends soon or was refused: by `issue`, or one that another
 * gateway with the same credentials was issued.
 */
export type Renewal = (issue: () => Promise<Token>, known: Token | undefined) => Promise<Token>;

interface TokenSourceOptions {
  /** Fetches a new token (`getToken`). */
  readonly issue: () => Promise<Token>;
  /** How gateways with the same credentials renew as one. Absent: each by itself. */
  readonly renewal?: Renewal | undefined;
  /** The clock, in epoch milliseconds. */
  readonly now?: () => number;
  /** From 0 up to 1, for the spread of renewals. */
  readonly random?: () => number;
}

/** The share of its life after which a token is renewed ahead of its end, give or take the spread. */
const RENEWAL_SHARE = 0.8;
/** Gateways that started together do not renew together. */
const RENEWAL_SPREAD = 0.1;

/**
 * Holds one token and renews it when it is missing, discarded or expired; one renewal serves all who wait.
 * A token near its end is renewed ahead, in the background, while callers go on with the held one.
 *
 * A failed renewal rejects for those who waited on it, and for those who ask within the next moments: a second or more
 * where credentials were refused, and ever longer where the issuer fails.
 */
export function createTokenSource(options: TokenSourceOptions): TokenSource {
  const { issue, renewal: agree = byItself, now = Date.now, random = Math.random } = options;
  let held: { readonly token: Token; readonly renewAtMs: number } | undefined;
  let latest: Token | undefined;
  let renewal: Promise<Token> | undefined;
  const pause = createRenewalPause(now, random);

  const renew = async (): Promise<Token> => {
    const askedAtMs = now();
    try {
      const token = await agree(issue, latest);
      latest = token;
      const share = RENEWAL_SHARE + RENEWAL_SPREAD * (2 * random() - 1);
      held = { token, renewAtMs: askedAtMs + (token.expiresAtMs - askedAtMs) * share };
      pause.succeeded();
      return token;
    } catch (error) {
      pause.failed(error);
      throw error;
    } finally {
      renewal = undefined;
    }
  };
  const startRenewal = (): Promise<Token> => {
    const failure = renewal === undefined && pause.failure();
    if (failure) return Promise.reject(failure);
    renewal ??= renew();
    return renewal;
  };

  return {
    async current() {
      if (held === undefined || now() >= held.token.expiresAtMs) return startRenewal();
      // Ahead of its end: nobody waits, and nobody minds if it fails while the held one is good.
      if (now() >= held.renewAtMs) startRenewal().catch(() => undefined);
      return held.token;
    },
    discard(refused) {
      // Ten calls may be refused with the same old token; only the first may cost a renewal.
      if (held?.token === refused && pause.mayReplace()) held = undefined;
    },
  };
}

const byItself: Renewal = (issue) => issue();
