const { ISOLATION_SEQUENCES, ISOLATION_SEED, ISOLATION_SHOW } = process.env;

/**
 * The number of sequences for one gateway. Two replicas play half of it. The planted leaks show
 * within 25.
 */
export const SEQUENCES = Number(ISOLATION_SEQUENCES ?? 120);

/** The seed of the sequences. A failure prints it, and setting it repeats the run. */
export const SEED = Number(ISOLATION_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** The fixed seed for planted leaks, so that no run misses one by chance. */
export const LEAK_SEED = Number(ISOLATION_SEED ?? 1);

/**
 * As many sequences as each setup plays for every commit. A leak that needs more would not be found
 * there.
 */
export const LEAK_RUNS = 30;

/** Whether to print progress, and the smallest sequence for each planted leak. */
export const IS_SHOWN = ISOLATION_SHOW !== undefined;
