import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The memory and handles of a process. All are 0 if the system has no `/proc`. */
export interface ProcessUsage {
  readonly rssMb: number;
  readonly peakRssMb: number;
  readonly sockets: number;
  /** The number of open files, sockets and pipes. */
  readonly handles: number;
}

/** Reads a process's usage from `/proc`. */
export function usageOf(pid: number): ProcessUsage {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const targets = readdirSync(`/proc/${pid}/fd`).map((fd) => readLink(`/proc/${pid}/fd/${fd}`));
    return {
      rssMb: megabytes(status, 'VmRSS'),
      peakRssMb: megabytes(status, 'VmHWM'),
      sockets: targets.filter((target) => target.startsWith('socket:')).length,
      handles: targets.length,
    };
  } catch {
    return { rssMb: 0, peakRssMb: 0, sockets: 0, handles: 0 };
  }
}

/** The length of a clock tick in `/proc`: Linux always reports 100 ticks per second. */
const TICK_MS = 10;

/** Returns the CPU time of a process so far, over all its threads, in milliseconds. */
export const processorTimeOf = (pid: number): number => readStat(pid).cpuMs;

function readStat(pid: number): { readonly parent: number; readonly cpuMs: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The process name in parentheses may contain anything, so fields are counted after it. These are
  // the 4th, 14th and 15th of the line.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return { parent: Number(fields[1]), cpuMs: ticks * TICK_MS };
}

/** Returns the CPU time of a process and its living descendants so far, in milliseconds. */
export function treeTimeMs(pid: number): number {
  const ids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const stats = new Map(ids.flatMap((id) => statIfAlive(id)));
  const timeBelow = (id: number): number =>
    [...stats]
      .filter(([, { parent }]) => parent === id)
      .reduce((sum, [child]) => sum + timeBelow(child), stats.get(id)?.cpuMs ?? 0);
  return timeBelow(pid);
}

/** Returns an empty list for a process that has ended meanwhile. */
function statIfAlive(pid: number): [number, ReturnType<typeof readStat>][] {
  try {
    return [[pid, readStat(pid)]];
  } catch {
    return [];
  }
}

/** Returns the CPU time of all processes and the kernel since the machine started, in milliseconds. */
export function machineTimeMs(): number {
  const [first = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0] = first
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softIrq) * TICK_MS;
}

/**
 * Returns the CPU time of the threads that are alive, with the scheduler's precision, in
 * milliseconds.
 */
export function exactProcessorTimeOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const spent = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return spent.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6;
}

const megabytes = (status: string, name: string): number =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1_024;

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
