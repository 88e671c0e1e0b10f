import { UpstreamError } from './errors.ts';

/** Keeps renewals apart that would fail anyway, so that many who ask for a token do not become many calls. */
export interface RenewalPause {
  /** The failure that speaks for a renewal now, without asking; `undefined` when one may be tried. */
  failure(): unknown;
  /** A renewal has failed. */
  failed(error: unknown): void;
  /** A renewal has brought a token. */
  succeeded(): void;
  /** A token was refused. Whether another one is worth asking for, or one was asked for a moment ago. */
  mayReplace(): boolean;
}

/** Credentials and tokens that were refused are taken to be refused for so long, in milliseconds. */
const REFUSED_FROM_MS = 1_000;
const REFUSED_TO_MS = 5_000;
/** An issuer that fails is asked again after so long, and each time after twice as long, up to the longest. */
const BACKOFF_FROM_MS = 250;
const BACKOFF_TO_MS = 5_000;

/** Makes the pause between one caller's renewals. */
export function createRenewalPause(now: () => number, random: () => number): RenewalPause {
  let remembered: { readonly error: unknown; readonly untilMs: number } | undefined;
  let failures = 0;
  let keptUntilMs = Number.NEGATIVE_INFINITY;

  const refusedMs = () => REFUSED_FROM_MS + (REFUSED_TO_MS - REFUSED_FROM_MS) * random();
  const backoffMs = () => Math.min(BACKOFF_FROM_MS * 2 ** failures, BACKOFF_TO_MS) * (0.5 + 0.5 * random());

  return {
    failure: () => (remembered !== undefined && now() < remembered.untilMs ? remembered.error : undefined),
    failed(error) {
      const isRefused = error instanceof UpstreamError && error.failure === 'unauthenticated';
      const askedMs = error instanceof UpstreamError ? (error.retryAfterMs ?? 0) : 0;
      remembered = { error, untilMs: now() + Math.max(isRefused ? refusedMs() : backoffMs(), askedMs) };
      failures++;
    },
    succeeded() {
      remembered = undefined;
      failures = 0;
    },
    mayReplace() {
      if (now() < keptUntilMs) return false;
      keptUntilMs = now() + refusedMs();
      return true;
    },
  };
}
