import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What a process holds at this moment. All are 0 where the system has no `/proc`. */
export interface ProcessUsage {
  readonly rssMb: number;
  readonly peakRssMb: number;
  readonly sockets: number;
  /** Open files, sockets and pipes. */
  readonly handles: number;
}

/** Reads what a process holds, from `/proc`. */
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

/** Clock ticks of `/proc`, a hundred a second on every Linux. */
const TICK_MS = 10;

/** The CPU time that a process took so far, all its threads together, in milliseconds. */
export function processorTimeOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the process, in brackets, may hold anything; the 14th and 15th fields are counted from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** The same of the threads that have not ended, as exact as the scheduler counts. */
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
