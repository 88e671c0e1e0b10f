import type { IncomingMessage } from 'node:http';

import { RequestError } from './request-error.ts';

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;

/**
 * Refuses requests that two servers in a row could read differently.
 *
 * @throws {RequestError} 400 for no host or two, 415 for a body in an encoding or a charset other than plain UTF-8.
 */
export function checkRequest({ headers, rawHeaders, httpVersion }: IncomingMessage): void {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length === 0 && httpVersion === '1.1') throw new RequestError(400, 'The request names no host.');
  if (hosts.length > 1) throw new RequestError(400, 'The request names two hosts.');

  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new RequestError(415, 'Send the request body as it is, without a content encoding.');
  }
  const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8') {
    throw new RequestError(415, 'Send the request body in UTF-8.');
  }
}
