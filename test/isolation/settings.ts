const { ISOLATION_SEQUENCES, ISOLATION_SEED, ISOLATION_SHOW } = process.env;

/** How many sequences are played by one gateway in all; two replicas play half as many. The planted leaks show within twenty-five. */
export const SEQUENCES = Number(ISOLATION_SEQUENCES ?? 120);

/** What the sequences are drawn from; a failure prints it, and setting it draws the same again. */
export const SEED = Number(ISOLATION_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** What planted leaks are looked for with: the same every time, so that none is missed by bad luck. */
export const LEAK_SEED = Number(ISOLATION_SEED ?? 1);

/** As many sequences as each setup plays with every commit: a leak that needs more would pass there. */
export const LEAK_RUNS = 30;

/** Whether progress is printed, and of each planted leak the smallest sequence that shows it. */
export const IS_SHOWN = ISOLATION_SHOW !== undefined;
