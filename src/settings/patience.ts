import { integer, optionalInteger } from './setting.ts';

/** How the gateway bears a platform that does not answer, or has been asked too much. */
export const PATIENCE_SETTINGS = {
  UPSTREAM_TRY_TIMEOUT_MS: integer({
    from: 1,
    to: 600_000,
    fallback: 5_000,
    unit: 'milliseconds',
    about:
      'The deadline of the first try of a read, which a second one may follow; both end with UPSTREAM_TIMEOUT_MS. A change is never tried twice once it was sent.',
  }),
  UPSTREAM_BREAKER_OPEN_MS: integer({
    from: 1,
    to: 600_000,
    fallback: 150,
    unit: 'milliseconds',
    about:
      'How long nothing is asked after half of at least 20 calls within ten seconds, or 20 in a row, had no answer or a 5xx, or nine of ten came late; then one call tries.',
  }),
  UPSTREAM_PAUSE_MAX_MS: integer({
    from: 1,
    to: 3_600_000,
    fallback: 60_000,
    unit: 'milliseconds',
    about: 'The longest pause after REQUEST_LIMIT_EXCEEDED; it doubles each time that the limit is still exceeded.',
  }),
  UPSTREAM_CALLS_PER_MINUTE: optionalInteger({
    from: 1,
    to: 100_000_000,
    unit: 'calls',
    about:
      'How many calls to the platform are made within any minute, tokens included; by all replicas together with REDIS_URL. A tenth is kept for changes; more is `RATE_LIMITED`. Not set: as many as are asked.',
  }),
} as const;
