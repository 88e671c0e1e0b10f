import { median } from '../benchmark.ts';
import { formatRows } from '../report.ts';
import { NODE_OPTIONS } from '../test-bed.ts';
import {
  cpuMsOf,
  FAIR_ROW,
  MAX_OTHER_LOAD,
  otherLoadOf,
  ratioOf,
  rssMbOf,
  type Sample,
  type Schedule,
} from './index.ts';
import type { Warmed } from './warm-up.ts';

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
  return `\n${table}${noise}${formatLoad(samples)}\n\n${formatCalls(samples)}\n\n${formatWarmUps(samples, workloads)}\n\n${formatMethod(schedule)}\n`;
}

/** Formats a sentence about the other programs on the machine if they make the figures useless. */
function formatLoad(samples: readonly Sample[]): string {
  const load = otherLoadOf(samples);
  if (load <= MAX_OTHER_LOAD) return '';
  return `\n\nOther programs used ${Math.round(load * 100)} % of a core: the machine was busy, so there is no verdict.`;
}

/** Formats the calls to the platform. Each process of a server makes the same. */
function formatCalls(samples: readonly Sample[]): string {
  const titles = [...new Set(samples.flatMap(({ calls }) => Object.keys(calls)))].sort();
  const rows = [...Map.groupBy(samples, ({ server }) => server.name).values()].map((own) => [
    own[0]?.server.title ?? '',
    ...titles.map((title) => String(own[0]?.calls[title] ?? '')),
  ]);
  return formatRows(['calls to the platform', ...titles], rows);
}

/** Formats the requests until each workload was warm, and the processes that never became steady. */
function formatWarmUps(samples: readonly Sample[], workloads: readonly string[]): string {
  const rows = [...Map.groupBy(samples, ({ server }) => server.name).values()].map((own) => [
    own[0]?.server.title ?? '',
    ...workloads.map((workload) =>
      formatWarmUp(own.flatMap(({ warmed }) => warmed[workload] ?? [])),
    ),
  ]);
  return formatRows(['requests until warm', ...workloads], rows);
}

function formatWarmUp(warmed: readonly Warmed[]): string {
  if (warmed.length === 0) return '';
  const requests = String(median(warmed.map((one) => one.requests)));
  const unsteady = warmed.filter(({ isSteady }) => !isSteady).length;
  return unsteady === 0 ? requests : `${requests} (${unsteady} of ${warmed.length} not steady)`;
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

function formatMethod({ processes, warmUp, rounds, burstMs }: Schedule): string {
  const { minRequests, equalRounds, atMost, maxRounds } = warmUp;
  const least = Object.entries(minRequests).map(
    ([workload, requests]) => `, and at least ${requests} requests of ${workload}`,
  );
  return `Processes run one at a time, ${processes} of each server, and the servers take turns. Each workload
is warmed up in rounds of ${burstMs} ms until ${equalRounds} in a row differ by at most ${atMost * 100} %${least.join('')}.
The warm-up ends after ${maxRounds} rounds in any case. Then ${rounds} rounds are measured, and the cheapest counts.
The table has the medians of the processes; in parentheses the ratio to the server with the same duties,
and the minimum and maximum of all processes. All run with \`NODE_OPTIONS="${NODE_OPTIONS}"\` and
\`MALLOC_ARENA_MAX=1\`.`;
}
