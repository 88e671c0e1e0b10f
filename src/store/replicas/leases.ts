import { LEASE_SCRIPT } from './lease-script.ts';
import type { Link } from './link.ts';
import type { Names } from './names.ts';

/** Calls that this replica may make without asking again, for a moment. */
export interface Lease {
  left: number;
  /** The second of Redis's clock that they are counted in. */
  readonly second: number;
  /** When what is left of them is lost, by this process's clock. */
  readonly untilMs: number;
}

/** What all replicas have taken. */
export interface Standing {
  readonly atMs: number;
  /** In the last minute, by all, this lease included. */
  readonly total: number;
  /** How many came in the last minute, this one included. */
  readonly replicas: number;
}

interface Asked {
  readonly ceiling: number;
  readonly wanted: number;
  /** The calls that were made without a lease since it was asked for one. */
  readonly unleased: number;
  /** All calls of this replica in the last minute. */
  readonly own: number;
  /** What others are taken to have made, should Redis not know. */
  readonly assumed: number;
  readonly givenBack: Lease | undefined;
}

/** The answer: a lease, or how long there will be none. */
export interface Leased {
  readonly lease: Lease | undefined;
  readonly waitMs: number;
  readonly standing: Standing;
}

/** Asks for a lease. Rejects where Redis gives no answer. */
export type AskForLease = (asked: Asked) => Promise<Leased>;

/** A lease ends so soon that a call is counted for long enough whenever it is made of it. */
const LEASE_MS = 1_000;

interface LeaseOptions {
  readonly link: Link;
  readonly names: Names;
  /** This process's name among the replicas. */
  readonly replica: string;
  readonly now: () => number;
}

/** Makes what asks Redis for leases of the budget that all replicas share. */
export function createAskForLease({ link, names, replica, now }: LeaseOptions): AskForLease {
  const keys = [names('calls'), names('replicas')];
  let mark = '';

  return async ({ ceiling, wanted, unleased, own, assumed, givenBack }) => {
    const askedAtMs = now();
    const rest = [givenBack?.second ?? '', givenBack?.left ?? 0];
    const asked = [ceiling, wanted, replica, mark, unleased, own, assumed, ...rest];
    const reply = (await link.send('EVAL', LEASE_SCRIPT, keys.length, ...keys, ...asked)) as readonly unknown[];
    const [granted = 0, second = 0, waitMs = 0, total = 0, replicas = 1] = reply.slice(0, 5).map(Number);
    mark = String(reply[5]);
    const lease = granted > 0 ? { left: granted, second, untilMs: askedAtMs + LEASE_MS } : undefined;
    return { lease, waitMs, standing: { atMs: askedAtMs, total, replicas } };
  };
}
