/** Settings of a gateway that refuses nobody for being late: how busy a machine is says nothing of what a test asks. */
export const GENEROUS_LIMITS = { MAX_CONCURRENT_REQUESTS: '1000' } as const;
