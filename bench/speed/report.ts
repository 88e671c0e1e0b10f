import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { median } from '../benchmark.ts';
import { formatRows } from '../report.ts';
import { NODE_OPTIONS } from '../test-bed.ts';
import { type Cell, type PromiseCount, ratioOf, type Sample, type Samples, type Schedule } from './index.ts';

const LOCKFILE = join(import.meta.dirname, '../peers/package-lock.json');
const VERSIONS_OF = [
  ...['@apollo/server', '@as-integrations/fastify', 'fastify', 'graphql', 'dataloader', 'graphql-jit', 'graphql-yoga'],
  ...['mercurius', 'undici', '@tailcallhq/core-linux-x64-gnu'],
];
/** A load generator that is busier than this may be what bounds the requests a second. */
const CLIENT_IS_BUSY = 0.8;

/** Processor time of every server at every workload, the details of each cell, and how all of it was measured. */
export function formatSpeed(samples: Samples, schedule: Schedule, promises: readonly PromiseCount[]): string {
  const tables = `${formatMatrix(samples)}\n\n${formatPromises(promises)}`;
  return `\n${tables}\n\n${formatMethod(schedule)}\n${formatDetails(samples)}\n`;
}

function formatPromises(counts: readonly PromiseCount[]): string {
  const workloads = [...new Set(counts.map(({ workload }) => workload))];
  const rows = [...Map.groupBy(counts, ({ server }) => server)].map(([server, own]) => [
    server,
    ...workloads.map((name) => String(own.find(({ workload }) => workload === name)?.count ?? '')),
  ]);
  return formatRows(['promises for a response', ...workloads], rows);
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
      const ratio = ratioOf(samples, workload.name, server.name);
      return `${format(medianOf(samples, cell, 'cpuMs'))}${ratio === undefined ? '' : ` (${ratio.toFixed(2)} ×)`}`;
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

const format = (ms: number): string => (ms < 100 ? ms.toFixed(1) : String(Math.round(ms)));

/** How it was measured, for whoever doubts the figures. */
function formatMethod({ rounds, burstMs, warmUpMs, clients }: Schedule): string {
  return `Medians of ${rounds} rounds of ${burstMs} ms for each server at each workload, after ${warmUpMs} ms to warm up. Rounds are
interleaved; in brackets the median of each round's ratio to Apollo Server on Fastify. Each server is a process of its own with
\`NODE_ENV=production\` and \`NODE_OPTIONS="${NODE_OPTIONS}"\`, as the image runs it. One platform on loopback, without delay, serves
all; the load generator, a process too, has ${clients} connections that send the next request with each response. All data were equal
before anything was measured.

- *W1*: 100 instances, each with its form and one of ten owners. *W2*: one form of 20 fields. *W3*: a constant. *W4*: 100 instances
  with ten fields each. Arguments are new in each request, except for *W1-equal*, where all requests are equal.
- *promises*: those that a process makes for one response, counted by \`async_hooks\` in a process of its own that is not timed,
  while requests come one after the other. The count is the same on every machine.
- *CPU ms*: CPU time of the server, all its threads, from \`/proc\`; that of the platform and the load generator is not in it.
  *calls*: to the platform, for each response. *rps* with ≥: bounded by the load generator.
- *Caseway* has everything on: callers known by API keys, limits, overload protection, cost, metrics, one line of log for each
  operation. It reads several owners by one call, and in the typed graph the form of a type is the same in all requests, so that its
  definition is cached.
- The minimal gateway has API keys and a line of log, DataLoaders that read several owners by one call, and graphql-jit over
  Caseway's generic schema; it has no limits and no cache. The other peers have no callers and no log. Their graph is written for
  exactly these forms, with a DataLoader by id, and all in Node have one undici pool of 128 connections. Cache hints of Apollo
  Server on Fastify are off. Tailcall is a program in Rust with threads for all processors, and makes equal calls once.
- ${versions().join(', ')}
`;
}

function versions(): string[] {
  const { packages } = JSON.parse(readFileSync(LOCKFILE, 'utf8')) as { packages: Record<string, { version?: string }> };
  return VERSIONS_OF.map((name) => `${name} ${packages[`node_modules/${name}`]?.version ?? ''}`);
}
