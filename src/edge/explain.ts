import type { IncomingHttpHeaders } from 'node:http';

import type { Explain } from '../graphql/context.ts';
import { RequestError } from './request-error.ts';

const WORDS: ReadonlyMap<unknown, Explain> = new Map([
  ['1', 'calls'],
  ['plan', 'plan'],
]);

/**
 * Reads what a request wants explained. Who asks for a plan wants nothing done, so that what cannot be explained is not
 * done either.
 *
 * @throws {RequestError} 400 for another word, 403 where nothing is explained.
 */
export function readExplain(
  { 'x-caseway-explain': given }: IncomingHttpHeaders,
  isAllowed: boolean,
): Explain | undefined {
  if (given === undefined) return undefined;
  if (!isAllowed) throw new RequestError(403, 'This gateway explains nothing; nothing was done.');
  const explain = WORDS.get(given);
  if (explain !== undefined) return explain;
  throw new RequestError(400, '`x-caseway-explain` must be 1 or plan; nothing was done.');
}
