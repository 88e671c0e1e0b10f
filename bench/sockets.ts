import { readFileSync } from 'node:fs';

/** The state of a listening socket in `/proc/net/tcp`. */
const LISTEN = '0A';

/**
 * Counts the listening sockets of a port and the connections that its server has accepted. Both are
 * 0 if the system has no `/proc`.
 */
export function socketsOf(port: number): { readonly listening: number; readonly accepted: number } {
  const ends = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const sockets = readText('/proc/net/tcp')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '']) => local.endsWith(ends));
  const listening = sockets.filter(([, , , state]) => state === LISTEN).length;
  // A connection without an inode is not accepted yet.
  const accepted = sockets.filter((fields) => fields[3] !== LISTEN && fields[9] !== '0').length;
  return { listening, accepted };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
