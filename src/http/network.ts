import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';

import { FairShare } from '../core/fair-share.ts';

/** The limit of connections for each network. */
interface NetworkLimit {
  /** Whether a new connection is within the limit of its network; it then counts until it is closed. */
  take(socket: Socket): boolean;
  /** How many connections were beyond the limit. */
  refused(): number;
}

/**
 * Many people may share one address. Less than the 1,024 events that libuv takes from the system at once: where so many
 * connections are readable, it reads again and again before it accepts.
 */
const MAX_CONNECTIONS_OF_ONE = 512;

/**
 * Bounds the connections of one address, or of one network of IPv6. Those of trusted proxies are not bounded, since proxies
 * have the connections of all their clients.
 */
export function createNetworkLimit(isTrustedProxy: (address: string) => boolean): NetworkLimit {
  const open = new FairShare(Number.POSITIVE_INFINITY, MAX_CONNECTIONS_OF_ONE);
  let refused = 0;
  return {
    take(socket) {
      // A client that has left already has no address.
      const { remoteAddress = '' } = socket;
      if (isTrustedProxy(remoteAddress)) return true;
      const network = networkOf(remoteAddress);
      if (open.excess(network, 1)) {
        refused++;
        return false;
      }
      open.add(network, 1);
      socket.once('close', () => open.add(network, -1));
      return true;
    },
    refused: () => refused,
  };
}

/** Gives the first half of an IPv6 address, which one client's addresses have in common; any other address as it is. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
