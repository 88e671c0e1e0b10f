const { COMPARE_DOCUMENTS, COMPARE_VALUES, COMPARE_DIGITS, COMPARE_SEED } = process.env;

/** How many random documents are compared. */
export const DOCUMENTS = Number(COMPARE_DOCUMENTS ?? 120);

/** How many random requests with variables are compared. */
export const VALUES = Number(COMPARE_VALUES ?? 250);

/** How many random numbers go each way. */
export const DIGITS = Number(COMPARE_DIGITS ?? 100);

/** What all of them are drawn from: `COMPARE_SEED` draws the same again. */
export const SEED = Number(COMPARE_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Some hours: the numbers are the caller's. */
export const TIMEOUT_MS = 36_000_000;

/** Deadlines of gateways that are compared: a busy machine may stop all of a process for seconds. */
export const PATIENT = { UPSTREAM_TIMEOUT_MS: '600000' };

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Gives what is called after each of very many, and says now and then how many there were. */
export function createProgress(what: string): () => void {
  let count = 0;
  return () => {
    if (++count % 5_000 === 0) say(`  ${what}: ${count}`);
  };
}
