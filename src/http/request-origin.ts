import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { BlockList, isIPv4 } from 'node:net';

import type { ClientName } from '../telemetry/metrics.ts';

/** Letters, digits and a few signs: it stands in log lines and is sent on. */
const REQUEST_ID = /^[\w.:-]{8,128}$/;

/**
 * Gives the id of a request: the `x-request-id` of a proxy on this machine or in a private network, else a new one.
 * From elsewhere none is accepted, since anyone could send another's.
 */
export function requestIdOf({
  headers: { 'x-request-id': given },
  socket: { remoteAddress },
}: IncomingMessage): string {
  const isTaken = typeof given === 'string' && REQUEST_ID.test(given) && isPrivate(remoteAddress);
  return isTaken ? given : randomUUID();
}

const isPrivate = (address = ''): boolean => PRIVATE.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');

/** Loopback, private and link-local networks; IPv4 counts in the notation of IPv6 as well. */
const PRIVATE = new BlockList();
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const) {
  PRIVATE.addSubnet(network, bits, 'ipv4');
}
for (const [network, bits] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  PRIVATE.addSubnet(network, bits, 'ipv6');
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
