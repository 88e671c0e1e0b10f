import { readFileSync } from 'node:fs';

/** The state of a socket that listens, in `/proc/net/tcp`. */
const LISTEN = '0A';

/** Counts the sockets of a port: those that listen, and connections that its server has accepted. All is 0 where there is no `/proc`. */
export function socketsOf(port: number): { readonly listening: number; readonly accepted: number } {
  const ends = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const sockets = readText('/proc/net/tcp')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '']) => local.endsWith(ends));
  const listening = sockets.filter(([, , , state]) => state === LISTEN).length;
  // Those that wait for the server have no inode yet.
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
