import { executeAs } from '../identity/support.ts';

/**
 * Returns the plan of an operation, or `undefined` if it is refused. The operation does not run.
 */
export const planOf = async (
  url: string,
  query: string,
  variables?: Readonly<Record<string, unknown>>,
) => (await executeAs(url, query, { 'x-caseway-explain': 'plan' }, variables)).extensions?.['plan'];

/**
 * Counts the calls that a plan must cover. When the platform refuses to sort a list, the gateway
 * reads it again without the order; plans leave out this repeat.
 */
export const countPlanned = (calls: readonly string[]): number =>
  calls.length - Math.floor(calls.filter((call) => call.endsWith(' 400')).length / 2);
