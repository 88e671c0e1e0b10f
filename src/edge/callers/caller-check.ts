import type { IncomingHttpHeaders } from 'node:http';

import type { Viewer } from '../../graphql/session.ts';
import { RequestError } from '../request-error.ts';

/**
 * Gives who calls, `undefined` where everybody may.
 *
 * @throws {RequestError} 401 for a caller who is not known.
 */
export type CallerCheck = (headers: IncomingHttpHeaders) => Promise<Viewer | undefined>;

/** `CALLER_AUTH=none`: everybody who can reach the gateway may ask with its credentials. */
export const everybody: CallerCheck = async () => undefined;

/** The refusal of a caller; it does not say what was wrong with what they sent. */
export function unknownCaller(scheme: string): RequestError {
  return new RequestError(401, 'This gateway does not know who is calling.', {
    headers: { 'www-authenticate': scheme },
  });
}
