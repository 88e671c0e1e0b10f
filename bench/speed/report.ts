import { median } from '../benchmark.ts';
import { formatRows } from '../report.ts';
import { NODE_OPTIONS } from '../test-bed.ts';
import { cpuMsOf, FAIR_ROW, ratioOf, rssMbOf, type Sample, type Schedule } from './index.ts';

/** Formats one process, to be printed while others run. */
export function formatSample({ server, cpuMs, rssMb }: Sample): string {
  const times = Object.entries(cpuMs).map(([workload, ms]) => `${workload} ${format(ms)}`);
  return `${server.title}: ${[...times, `${Math.round(rssMb)} MB`].join(', ')}`;
}

/** Formats a table with a row for each server and a column for each workload, and the method. */
export function formatSpeed(
  samples: readonly Sample[],
  schedule: Schedule,
  isShort: boolean,
): string {
  const workloads = [...new Set(samples.flatMap(({ cpuMs }) => Object.keys(cpuMs)))].sort();
  const rows = [...Map.groupBy(samples, ({ server }) => server.name)].map(([server, own]) => [
    own[0]?.server.title ?? server,
    ...workloads.map((workload) => formatCell(samples, server, workload)),
    String(Math.round(rssMbOf(own))),
  ]);
  const table = formatRows(['CPU ms for 1,000 responses', ...workloads, 'RSS MB'], rows);
  const noise = isShort
    ? '\n\nA short run: processes are still warming up, so all of this is noise.'
    : '';
  return `\n${table}${noise}\n\n${formatMethod(schedule)}\n`;
}

/**
 * Formats the median, its ratio to the fair row's, and the minimum and maximum of all processes.
 */
function formatCell(samples: readonly Sample[], server: string, workload: string): string {
  const cpuMs = cpuMsOf(samples, server, workload);
  if (cpuMs.length === 0) return '';
  const ratio = ratioOf(samples, server, FAIR_ROW, workload);
  const spread = `${format(Math.min(...cpuMs))}–${format(Math.max(...cpuMs))}`;
  const ratioText = ratio === undefined ? '' : `${ratio.toFixed(2)} ×; `;
  return `${format(median(cpuMs))} (${ratioText}${spread})`;
}

const format = (value: number): string =>
  value < 100 ? value.toFixed(1) : String(Math.round(value));

function formatMethod({ processes, warmUpMs, rounds, burstMs }: Schedule): string {
  return `Processes run one at a time, ${processes} of each server, and the servers take turns. Each workload
is warmed up for ${warmUpMs} ms and then measured in ${rounds} rounds of ${burstMs} ms. The fastest round
counts. The table has the medians of the processes; in parentheses the ratio to the server with the same
duties, and the minimum and maximum of all processes.
All run with \`NODE_OPTIONS="${NODE_OPTIONS}"\`.`;
}
