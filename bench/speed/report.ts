import { median } from '../benchmark.ts';
import { formatRows } from '../report.ts';
import { NODE_OPTIONS } from '../test-bed.ts';
import { cpuMsOf, FAIR_ROW, ratioOf, rssMbOf, type Sample, type Schedule } from './index.ts';

/** One process, as it is told while others run. */
export function formatSample({ server, cpuMs, rssMb }: Sample): string {
  const times = Object.entries(cpuMs).map(([workload, ms]) => `${workload} ${format(ms)}`);
  return `${server.title}: ${[...times, `${Math.round(rssMb)} MB`].join(', ')}`;
}

/** A line for each server, a column for each workload, and how it was measured. */
export function formatSpeed(samples: readonly Sample[], schedule: Schedule, isShort: boolean): string {
  const workloads = [...new Set(samples.flatMap(({ cpuMs }) => Object.keys(cpuMs)))].sort();
  const rows = [...Map.groupBy(samples, ({ server }) => server.name)].map(([server, own]) => [
    own[0]?.server.title ?? server,
    ...workloads.map((workload) => formatCell(samples, server, workload)),
    String(Math.round(rssMbOf(own))),
  ]);
  const table = formatRows(['CPU ms for 1,000 responses', ...workloads, 'RSS MB'], rows);
  const noise = isShort ? '\n\nA short run: processes are still warming up, so all of this is noise.' : '';
  return `\n${table}${noise}\n\n${formatMethod(schedule)}\n`;
}

/** The median, its ratio to the fair row's, and the least and most of all processes. */
function formatCell(samples: readonly Sample[], server: string, workload: string): string {
  const cpuMs = cpuMsOf(samples, server, workload);
  if (cpuMs.length === 0) return '';
  const ratio = ratioOf(samples, server, FAIR_ROW, workload);
  const spread = `${format(Math.min(...cpuMs))}–${format(Math.max(...cpuMs))}`;
  return `${format(median(cpuMs))} (${ratio === undefined ? '' : `${ratio.toFixed(2)} ×; `}${spread})`;
}

const format = (value: number): string => (value < 100 ? value.toFixed(1) : String(Math.round(value)));

function formatMethod({ processes, warmUpMs, rounds, burstMs }: Schedule): string {
  return `One process at a time, ${processes} of each server in turns: warmed for ${warmUpMs} ms a workload, then ${rounds} rounds of ${burstMs} ms a workload,
of which the least counts. The table has the medians of the processes, in brackets the multiple of the server with the same duties,
and the least and most of all processes. All run with \`NODE_OPTIONS="${NODE_OPTIONS}"\`.`;
}
