import { cpus } from 'node:os';

/** What all processors of the machine did since it was started, in milliseconds. */
export interface MachineTimes {
  readonly idleMs: number;
  readonly allMs: number;
}

export function machineTimes(): MachineTimes {
  const times = cpus().map((cpu) => cpu.times);
  const idleMs = times.reduce((sum, { idle }) => sum + idle, 0);
  const allMs = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0);
  return { idleMs, allMs };
}

/** Gives how busy all processors were between two moments, as a share of all of them. */
export function busyBetween(before: MachineTimes, after: MachineTimes): number {
  const allMs = after.allMs - before.allMs;
  return allMs === 0 ? 0 : 1 - (after.idleMs - before.idleMs) / allMs;
}
