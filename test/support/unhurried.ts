/** Settings of a gateway that refuses nobody for being late: how busy a machine is says nothing of what a test asks. */
export const UNHURRIED = { ADMISSION_LAG_MS: '60000', ADMISSION_MAX_IN_FLIGHT: '1000' } as const;
