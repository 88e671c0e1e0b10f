import { formatRows } from '../report.ts';
import { boundOf } from './bound.ts';
import type { CrowdPoint } from './crowds.ts';
import type { ListPoints } from './lists.ts';
import type { Point } from './point.ts';

const MEASURED = ['rps', 'p50 ms', 'p99 ms', 'peak RSS MB', 'gateway', 'platform', 'machine', 'bound by'];

const ABOUT = `Everything is on: callers known by API keys, limits, cost, log. Nothing can be shared or known: each request asks for a list
that nobody asked before. *Gateway* and *platform* say how busy each process was, in percent of one processor, and *machine* how busy
all processors were, other programs included. Two gateways are the average of both; the clients divide themselves between them. What
collects garbage has threads of its own, so that a gateway may take more than one processor. *Bound by*: what was used to 85 % or
more, the gateway's processor first, then all processors of the machine, which the platform and the client share with the gateways,
then the platform's, then connections to the platform; else the clients wait for the platform.
`;

/** Words both tables, each point with what bounds it. */
export function formatTables(lists: ListPoints, crowds: readonly CrowdPoint[], connections: number): string {
  const measured = (point: Point) => toCells(point, connections);
  const byLength = [...lists].map(([size, point]) => [
    String(size),
    ...measured(point),
    String(Math.round(point.rps * size)),
  ]);
  const byCrowd = crowds.map((point) => [
    String(point.processes),
    `${point.delayMs} ms`,
    String(point.clients),
    ...measured(point),
  ]);
  return [
    '',
    ABOUT,
    '### Length of a list: ten fields of each instance, 4 clients, a platform without delay',
    '',
    `${formatRows(['instances', ...MEASURED, 'instances a second'], byLength)}`,
    '',
    'Raised for it: `PAGE_SIZE_MAX`, `ANSWER_FIELDS_MAX`, and `list.maxPageSize` of the dialect, to 10,000. The heap has 256 MB, as ever.',
    '',
    '### Clients, processes and a platform that takes its time: lists of 100 with form and owner',
    '',
    formatRows(['gateways', 'delay', 'clients', ...MEASURED], byCrowd),
    '',
    'Raised for it: `ADMISSION_MAX_IN_FLIGHT` and `ADMISSION_LAG_MS`, so that everybody is let in.',
    '',
  ].join('\n');
}

function toCells(point: Point, connections: number): string[] {
  const { rps, p50Ms, p99Ms, peakRssMb, gatewayBusy, upstreamBusy, machineBusy } = point;
  const percent = (share: number) => String(Math.round(share * 100));
  return [
    rps < 100 ? rps.toFixed(1) : String(Math.round(rps)),
    p50Ms.toFixed(1),
    p99Ms.toFixed(1),
    String(Math.round(peakRssMb)),
    percent(gatewayBusy),
    percent(upstreamBusy),
    percent(machineBusy),
    boundOf(point, connections),
  ];
}
