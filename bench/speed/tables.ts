import { formatRows } from '../report.ts';
import type { Cell, Summary } from './cell.ts';
import { CONTENDERS } from './contender.ts';

/** A client that is busier than this may be what bounds the requests a second. */
const CLIENT_IS_BUSY = 0.8;
const HEAD = ['server', 'CPU ms', 'least–most', 'Caseway is', 'rps', 'p50 ms', 'p99 ms', 'RSS MB', 'calls', 'by 304'];

/** Groups cells by what was asked, each group in words, the least processor time first. */
export function groupCells(results: ReadonlyMap<Cell, Summary>): ReadonlyMap<string, readonly [Cell, Summary][]> {
  const groups = Map.groupBy(results, ([{ workload, kind }]) =>
    workload.hasArguments ? `${workload.name}, ${kind} arguments` : workload.name,
  );
  for (const group of groups.values()) group.sort(([, a], [, b]) => a.cpuMs - b.cpuMs);
  return groups;
}

/** Words a table for each workload. */
export function formatTables(results: ReadonlyMap<Cell, Summary>): string {
  const parts = [...groupCells(results)].map(([title, group]) => {
    const about = group[0]?.[0].workload.about ?? '';
    const ours = group.find(([{ contender }]) => contender.name === 'caseway')?.[1].cpuMs;
    return `### ${title}: ${about}\n\n${formatRows(
      HEAD,
      group.map(([cell, summary]) => toRow(cell, summary, ours)),
    )}\n`;
  });
  return parts.join('\n');
}

function toRow({ contender }: Cell, summary: Summary, ours: number | undefined): string[] {
  const { cpuMs, leastCpuMs, mostCpuMs, rps, clientBusy, p50Ms, p99Ms, rssMb, calls, unchanged } = summary;
  const isClientBound = clientBusy > CLIENT_IS_BUSY;
  return [
    CONTENDERS[contender.name],
    short(cpuMs),
    `${short(leastCpuMs)}–${short(mostCpuMs)}`,
    ours === undefined || contender.name === 'caseway' ? '' : `${(ours / cpuMs).toFixed(2)} ×`,
    `${isClientBound ? '≥ ' : ''}${Math.round(rps)}`,
    p50Ms.toFixed(1),
    p99Ms.toFixed(1),
    String(Math.round(rssMb)),
    calls.toFixed(2),
    unchanged > 0 ? unchanged.toFixed(2) : '',
  ];
}

const short = (ms: number): string => (ms < 100 ? ms.toFixed(1) : String(Math.round(ms)));
