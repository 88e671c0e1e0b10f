import { readFileSync } from 'node:fs';

/** Connections that the system has made for a port, and that its server has not accepted yet. */
export interface ListenQueue {
  readonly waiting: number;
  /** Of these the connections whose client has left. */
  readonly left: number;
  /** How many sockets listen. */
  readonly sockets: number;
}

/** What the system refused because a queue was full, on all ports together since it was started. */
export interface ListenDrops {
  /** Connections of a full queue, as `ListenOverflows` counts them. */
  readonly overflows: number;
  /** Connections that were dropped for any reason, as `ListenDrops` counts them; their clients try again after a second. */
  readonly drops: number;
}

/** States of `/proc/net/tcp`. */
const [ESTABLISHED, CLOSE_WAIT, LISTEN] = ['01', '08', '0A'];

/** Reads the queue of a port, as `ss` shows it, from `/proc`. All is 0 where the system has none. */
export function listenQueueOf(port: number): ListenQueue {
  const rows = socketsOf(port);
  const left = rows.filter(({ state, isAccepted }) => state === CLOSE_WAIT && !isAccepted).length;
  const connected = rows.filter(({ state, isAccepted }) => state === ESTABLISHED && !isAccepted).length;
  return { waiting: connected + left, left, sockets: rows.filter(({ state }) => state === LISTEN).length };
}

/** How many connections the server of a port has accepted and holds; 0 where the system has no `/proc`. */
export const acceptedOf = (port: number): number =>
  socketsOf(port).filter(({ state, isAccepted }) => state !== LISTEN && isAccepted).length;

function socketsOf(port: number) {
  const ends = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readText('/proc/net/tcp')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '']) => local.endsWith(ends))
    .map((fields) => ({ state: fields[3], isAccepted: fields[9] !== '0' }));
}

/** Reads the system's own counters of refused connections. */
export function listenDrops(): ListenDrops {
  const [names = [], values = []] = readText('/proc/net/netstat')
    .split('\n')
    .filter((line) => line.startsWith('TcpExt:'))
    .map((line) => line.split(' '));
  const read = (name: string) => Number(values[names.indexOf(name)] ?? 0);
  return { overflows: read('ListenOverflows'), drops: read('ListenDrops') };
}

/** What a queue held at its longest, and what was dropped, while something ran. */
export interface QueueReport extends ListenDrops {
  readonly longest: number;
  /** Of these the connections whose client had left. */
  readonly leftOfLongest: number;
  /** The mean of all samples. */
  readonly mean: number;
  readonly sockets: number;
}

/** Watches the queue of a port until it is told to stop. */
export function watchListenQueue(port: number): () => QueueReport {
  const before = listenDrops();
  const samples: ListenQueue[] = [];
  const timer = setInterval(() => samples.push(listenQueueOf(port)), SAMPLE_MS);
  return () => {
    clearInterval(timer);
    const { overflows, drops } = listenDrops();
    const longest = samples.reduce((most, sample) => (sample.waiting > most.waiting ? sample : most), NO_QUEUE);
    return {
      longest: longest.waiting,
      leftOfLongest: longest.left,
      mean: samples.reduce((sum, { waiting }) => sum + waiting, 0) / Math.max(1, samples.length),
      sockets: samples.at(-1)?.sockets ?? 0,
      overflows: overflows - before.overflows,
      drops: drops - before.drops,
    };
  };
}

const SAMPLE_MS = 250;
const NO_QUEUE: ListenQueue = { waiting: 0, left: 0, sockets: 0 };

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
