import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

import type { ClientName } from '../core/observers.ts';

/** Letters, digits and a few signs: it stands in log lines and is sent on. */
const REQUEST_ID = /^[\w.:-]{8,128}$/;

/**
 * Gives ids to requests: the `x-request-id` of a trusted proxy, else a new one. From elsewhere none is accepted, since anyone
 * could send another's.
 *
 * @param isTrustedProxy is given the address of the sender.
 */
export function createRequestIds(isTrustedProxy: (address: string) => boolean): (request: IncomingMessage) => string {
  return ({ headers: { 'x-request-id': given }, socket: { remoteAddress } }) => {
    const isTaken =
      typeof given === 'string' &&
      REQUEST_ID.test(given) &&
      remoteAddress !== undefined &&
      isTrustedProxy(remoteAddress);
    return isTaken ? given : randomUUID();
  };
}

/** What clients may call themselves: npm's package names, versions and plain words. */
const CLIENT_NAME = /^[\w .:/@+()-]{1,64}$/;

/** Gives the client's name and version from the headers that Apollo's and other clients send; absent where it says none. */
export function clientOf(headers: IncomingHttpHeaders): ClientName {
  const read = (part: 'name' | 'version'): string | undefined => {
    const given = headers[`apollographql-client-${part}`] ?? headers[`graphql-client-${part}`];
    return typeof given === 'string' && CLIENT_NAME.test(given) ? given : undefined;
  };
  return { name: read('name'), version: read('version') };
}
