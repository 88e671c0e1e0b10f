import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { median } from '../benchmark.ts';
import { formatRows } from '../report.ts';
import { NODE_OPTIONS } from '../test-bed.ts';
import type { HeapReport, HeapUse, MemoryUse } from './heap.ts';
import { BASELINES, type Cell, type PromiseCount, ratioOf, type Sample, type Samples, type Schedule } from './index.ts';

const LOCKFILE = join(import.meta.dirname, '../peers/package-lock.json');
const VERSIONS_OF = [
  ...['@apollo/server', '@as-integrations/fastify', 'fastify', 'graphql', 'dataloader', 'graphql-jit', 'graphql-yoga'],
  ...['mercurius', 'pino', 'prom-client', 'undici', '@tailcallhq/core-linux-x64-gnu'],
];
/** A load generator that is busier than this may be what bounds the requests a second. */
const CLIENT_IS_BUSY = 0.8;

interface Measured {
  readonly samples: Samples;
  readonly schedule: Schedule;
  readonly promises: readonly PromiseCount[];
  readonly heaps: HeapReport;
}

/** CPU time, promises and memory of every server, the details of each cell, and how all of it was measured. */
export function formatSpeed({ samples, schedule, promises, heaps }: Measured): string {
  const parts = [
    formatMatrix(samples),
    formatByWorkload('promises for a response', promises, ({ count }) => String(count)),
    formatByWorkload('KB allocated for a response (ms of GC for 1,000)', heaps.uses, formatHeapUse),
    formatMemory(heaps.memory),
    formatMethod(schedule),
    formatDetails(samples),
  ];
  return `\n${parts.join('\n\n')}\n`;
}

type OfOneCell = { readonly server: string; readonly workload: string };

/** A line for each server, a column for each workload. */
function formatByWorkload<T extends OfOneCell>(title: string, all: readonly T[], show: (one: T) => string): string {
  const workloads = [...new Set(all.map(({ workload }) => workload))];
  const rows = [...Map.groupBy(all, ({ server }) => server)].map(([server, own]) => [
    server,
    ...workloads.map((name) =>
      own
        .filter(({ workload }) => workload === name)
        .map(show)
        .join(),
    ),
  ]);
  return formatRows([title, ...workloads], rows);
}

const formatHeapUse = ({ allocatedBytes, gcMs }: HeapUse): string =>
  `${format(allocatedBytes / 1_000)} (${format(gcMs)})`;

function formatMemory(memory: readonly MemoryUse[]): string {
  const rows = memory.map(({ server, rssMb, heapMb, externalMb }) => [
    server,
    ...[rssMb, heapMb, externalMb, rssMb - heapMb - externalMb].map((mb) => String(Math.round(mb))),
  ]);
  return formatRows(['MB after all workloads', 'RSS', 'heap', 'external', 'rest'], rows);
}

function formatMatrix(samples: Samples): string {
  const cells = [...samples.keys()];
  const workloads = [...new Set(cells.map(({ workload }) => workload))];
  const servers = [...new Set(cells.map(({ server }) => server))];
  const rows = servers.map((server) => [
    server.title,
    ...workloads.map((workload) => {
      const cell = cells.find((each) => each.server === server && each.workload === workload);
      if (cell === undefined) return '';
      const ratios = BASELINES.map(
        (baseline) => ratioOf(samples, workload.name, server.name, baseline)?.toFixed(2) ?? '–',
      );
      return `${format(medianOf(samples, cell, 'cpuMs'))} (${ratios.join(' · ')})`;
    }),
  ]);
  return formatRows(['CPU ms for 1,000 responses', ...workloads.map(({ name }) => name)], rows);
}

function formatDetails(samples: Samples): string {
  const rows = [...samples].map(([cell, all]) => {
    const of = (key: keyof Sample) => medianOf(samples, cell, key);
    const cpu = all.map(({ cpuMs }) => cpuMs);
    return [
      cell.workload.name,
      cell.server.title,
      format(of('cpuMs')),
      `${format(Math.min(...cpu))}–${format(Math.max(...cpu))}`,
      `${of('clientBusy') > CLIENT_IS_BUSY ? '≥ ' : ''}${Math.round(of('rps'))}`,
      of('p50Ms').toFixed(1),
      of('p99Ms').toFixed(1),
      String(Math.round(of('rssMb'))),
      of('calls').toFixed(2),
    ];
  });
  const head = ['workload', 'server', 'CPU ms', 'least–most', 'rps', 'p50 ms', 'p99 ms', 'RSS MB', 'calls'];
  return formatRows(head, rows);
}

const medianOf = (samples: Samples, cell: Cell, key: keyof Sample): number =>
  median((samples.get(cell) ?? []).map((sample) => sample[key]));

const format = (value: number): string => (value < 100 ? value.toFixed(1) : String(Math.round(value)));

/** How it was measured, for whoever doubts the figures. */
function formatMethod({ rounds, burstMs, warmUpMs, clients }: Schedule): string {
  return `Medians of ${rounds} rounds of ${burstMs} ms for each server at each workload, after ${warmUpMs} ms to warm up. Rounds are
interleaved; in brackets the median of each round's ratio to Apollo Server on Fastify, and of that to Mercurius with the same duties.
Each server is a process of its own with \`NODE_ENV=production\` and \`NODE_OPTIONS="${NODE_OPTIONS}"\`, as the image runs
it, and with nothing else of the environment, so that all have one allocator and the same flags of V8. One platform on loopback, without
delay, serves all; the load generator, a process too, has ${clients} connections that send the next request with each response. All data
were equal before anything was measured.

- *W1*: 100 instances, each with its form and one of ten owners. *W2*: one form of 20 fields. *W3*: a constant. *W4*: 100 instances
  with ten fields each. Arguments are new in each request, except for *W1-equal*, where all requests are equal.
- *promises*: those that a process makes for one response, counted by \`async_hooks\` in a process of its own that is not timed,
  while requests come one after the other. The count is the same on every machine.
- *KB allocated*: bytes in V8's heap, counted from one collection to the next, under the same load but in processes of their own that
  are not timed. Code that V8 has not optimised yet allocates more. What buffers hold outside the heap is not among them. *ms of GC*:
  pauses of the main thread by the wall clock; the garbage collector's other threads are in the CPU time alone.
- *MB after all workloads*, in the same processes: RSS is V8's heap with its garbage and free pages, external memory that objects hold
  (buffers), and the rest: Node itself, compiled code, stacks, and what the allocator keeps.
- *CPU ms*: CPU time of the server, all its threads, from \`/proc\`; that of the platform and the load generator is not in it.
  *calls*: to the platform, for each response. *rps* with ≥: bounded by the load generator.
- *Caseway* has everything on: callers known by API keys, limits, overload protection, cost, metrics, one line of log for each
  operation. It reads several owners by one call, and in the typed graph the form of a type is the same in all requests, so that its
  definition is cached.
- The minimal gateway has API keys and a line of log, DataLoaders that read several owners by one call, and graphql-jit over
  Caseway's generic schema; it has no limits and no cache. *The same duties*: Mercurius checks API keys by SHA-256, writes one line for
  each operation with pino as Caseway does, and observes its duration in a histogram of prom-client; it has no limits, no cost and no
  cache. The other peers have no callers and no log. The graph of the peers is written for exactly these forms, with a DataLoader by
  id, and all in Node have one undici pool of 128 connections. Cache hints of Apollo Server on Fastify are off. Tailcall is a program in
  Rust with threads for all processors, and makes equal calls once.
- ${versions().join(', ')}`;
}

function versions(): string[] {
  const { packages } = JSON.parse(readFileSync(LOCKFILE, 'utf8')) as { packages: Record<string, { version?: string }> };
  return VERSIONS_OF.map((name) => `${name} ${packages[`node_modules/${name}`]?.version ?? ''}`);
}
