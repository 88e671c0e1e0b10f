import { closedLoop, type LoadGenerator, startLoadGenerator } from '../load/index.ts';
import type { Cell, Schedule } from './index.ts';
import { countsOf } from './promises.ts';

/** What a process counted since its last count. */
export interface HeapCounts {
  readonly allocatedBytes: number;
  readonly gcMs: number;
  readonly memory: NodeJS.MemoryUsage;
}

/** What a server allocates at one workload. */
export interface HeapUse {
  readonly server: string;
  readonly workload: string;
  /** In V8's heap, for one response. */
  readonly allocatedBytes: number;
  /** Pauses of the garbage collector for 1,000 responses. */
  readonly gcMs: number;
}

/** What a process holds after all its workloads, in megabytes. */
export interface MemoryUse {
  readonly server: string;
  /** Whether bounds hold for it. */
  readonly isOurs: boolean;
  readonly rssMb: number;
  /** V8's heap, garbage and free pages included. */
  readonly heapMb: number;
  /** Buffers and other memory that objects of the heap hold. */
  readonly externalMb: number;
}

export interface HeapReport {
  readonly uses: readonly HeapUse[];
  /** One for each process. */
  readonly memory: readonly MemoryUse[];
}

const MB = 2 ** 20;

/** Plays each cell once, to processes that count their heaps; only processes of Node do. */
export async function measureHeaps(cells: readonly Cell[], folder: string, schedule: Schedule): Promise<HeapReport> {
  const generator = startLoadGenerator();
  const uses: HeapUse[] = [];
  const memory = new Map<number, MemoryUse>();
  try {
    for (const [index, cell] of cells.entries()) {
      const { server, workload } = cell;
      if (server.kind === 'tailcall') continue;
      const { good, counts } = await countHeap(cell, { generator, folder, schedule, index });
      const { allocatedBytes, gcMs } = counts;
      uses.push({
        server: server.title,
        workload: workload.name,
        allocatedBytes: allocatedBytes / good,
        gcMs: (gcMs / good) * 1_000,
      });
      const { server: title, isOurs } = memory.get(server.pid) ?? {
        server: server.title,
        isOurs: server.name.startsWith('caseway'),
      };
      const { rss, heapTotal, external } = counts.memory;
      memory.set(server.pid, {
        server: title,
        isOurs,
        rssMb: rss / MB,
        heapMb: heapTotal / MB,
        externalMb: external / MB,
      });
    }
  } finally {
    generator.close();
  }
  return { uses, memory: [...memory.values()] };
}

/** Numbers of requests for each cell: its bursts have half of them each. */
const ARGUMENTS_OF_A_CELL = 100_000;

interface HeapRun {
  readonly generator: LoadGenerator;
  readonly folder: string;
  readonly schedule: Schedule;
  readonly index: number;
}

async function countHeap({ server, workload, request }: Cell, { generator, folder, schedule, index }: HeapRun) {
  const { port, pid } = server;
  const { clients, warmUpMs, burstMs } = schedule;
  const play = (durationMs: number, from: number) =>
    generator.run({
      port,
      durationMs,
      streams: [closedLoop(clients, request)],
      from,
      isEqual: workload.isEqual,
      deadlineMs: 10_000,
    });
  const from = index * ARGUMENTS_OF_A_CELL;
  await play(warmUpMs / 2, from);
  await countsOf(pid, folder);
  const { streams } = await play(burstMs, from + ARGUMENTS_OF_A_CELL / 2);
  const counts = await countsOf<HeapCounts>(pid, folder);
  const good = streams[0]?.counts.good ?? 0;
  if (good === 0) throw new Error(`${server.title} gave no response at ${workload.name}.`);
  return { good, counts };
}
