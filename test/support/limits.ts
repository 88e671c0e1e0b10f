import { GATEWAY_LIMITS, type GatewayLimits } from '../../src/config/config.ts';

const LIMITS = Symbol('limits');

/** Limits of a gateway in this process, to be spread among its settings. */
export const limits = (given: Partial<GatewayLimits>) => ({ [LIMITS]: given });

/**
 * The limits among settings. Others never reject requests for overload, so that a busy machine does
 * not fail a test.
 */
export const limitsOf = (env: object): GatewayLimits => ({
  ...GATEWAY_LIMITS,
  shutdownMs: 1_000,
  maxConcurrentRequests: 1_000,
  lateMs: Number.POSITIVE_INFINITY,
  ...(LIMITS in env && (env[LIMITS] as Partial<GatewayLimits>)),
});
