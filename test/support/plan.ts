import { executeAs } from '../identity/support.ts';

/** Gives the plan of an operation, or `undefined` where it is refused; nothing of it is run. */
export const planOf = async (url: string, query: string, variables?: Readonly<Record<string, unknown>>) =>
  (await executeAs(url, query, { 'x-caseway-explain': 'plan' }, variables)).extensions?.['plan'];

/**
 * How many of the calls that were made a plan knows of, at least. A list that the platform refuses is asked for once more, without its
 * order, until one of its form has come in the order of ids.
 */
export const countPlanned = (calls: readonly string[]): number =>
  calls.length - Math.floor(calls.filter((call) => call.endsWith(' 400')).length / 2);
