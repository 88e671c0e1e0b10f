/** Settings of a gateway that never rejects requests for overload, so that a busy machine does not fail a test. */
export const GENEROUS_LIMITS = { MAX_CONCURRENT_REQUESTS: '1000' } as const;
