import type { Settings } from '../config/settings.ts';
import { createBreaker } from '../upstream/breaker.ts';
import type { Exchanger } from '../upstream/exchange.ts';
import type { LimitPause } from '../upstream/limit-pause.ts';
import { createPatience } from '../upstream/patience.ts';
import { createRetryBudget } from '../upstream/retry-budget.ts';

/** The share of a first try's time after which an answer is late. */
const LATE_SHARE = 0.8;

/** Puts before a host what all who ask it share: a breaker, a budget of second tries, and the pause of its limit. */
export function guard(direct: Exchanger, settings: Settings, pause: LimitPause) {
  const breaker = createBreaker(direct, {
    openMs: settings.UPSTREAM_BREAKER_OPEN_MS,
    slowMs: settings.UPSTREAM_TRY_TIMEOUT_MS * LATE_SHARE,
  });
  const patience = createPatience({
    timeoutMs: settings.UPSTREAM_TIMEOUT_MS,
    tryTimeoutMs: settings.UPSTREAM_TRY_TIMEOUT_MS,
    budget: createRetryBudget(),
    breaker,
    pause,
  });
  return { exchange: breaker.exchange, patience };
}
