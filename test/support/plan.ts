import { executeAs } from '../identity/support.ts';

/** Gives the plan of an operation, or `undefined` where it is refused; nothing of it is run. */
export const planOf = async (url: string, query: string, variables?: Readonly<Record<string, unknown>>) =>
  (await executeAs(url, query, { 'x-caseway-explain': 'plan' }, variables)).extensions?.['plan'];
