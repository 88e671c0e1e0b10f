const { COMPARE_DOCUMENTS, COMPARE_VALUES, COMPARE_DIGITS, COMPARE_SEED } = process.env;

/** How many random documents are compared. */
export const DOCUMENTS = Number(COMPARE_DOCUMENTS ?? 120);

/** How many random requests with variables are compared. */
export const VALUES = Number(COMPARE_VALUES ?? 250);

/** How many random numbers go each way. */
export const DIGITS = Number(COMPARE_DIGITS ?? 100);

/** The seed of all random values. Set `COMPARE_SEED` to repeat a run. */
export const SEED = Number(COMPARE_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Some hours: the numbers are the caller's. */
export const TIMEOUT_MS = 36_000_000;

/**
 * Deadlines of gateways that are compared: a busy machine may stop all of a process for seconds.
 */
export const PATIENT = { UPSTREAM_TIMEOUT_MS: '600000' };

export const say = (line: string): void => void process.stdout.write(`${line}\n`);
