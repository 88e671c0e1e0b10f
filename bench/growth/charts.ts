import { drawLines, type LinePanel, type Series } from '../chart/lines.ts';
import type { CrowdPoint } from './crowds.ts';
import type { ListPoints } from './lists.ts';

/** Draws what a longer list does to requests and memory. */
export function drawLists(lists: ListPoints): string {
  const line = (name: string, colour: number, pick: (size: number) => number): Series => ({
    name,
    colour,
    points: [...lists.keys()].map((size) => [size, pick(size)]),
  });
  const xLabel = 'instances in a list';
  return drawLines('A longer list', [
    { title: 'requests a second', xLabel, series: [line('requests', 2, (size) => lists.get(size)?.rps ?? 0)] },
    {
      title: 'instances a second',
      xLabel,
      series: [line('instances', 0, (size) => (lists.get(size)?.rps ?? 0) * size)],
    },
    { title: 'peak RSS, MB', xLabel, series: [line('one gateway', 1, (size) => lists.get(size)?.peakRssMb ?? 0)] },
  ]);
}

/** Draws what more clients do, by the platform's delay and the number of gateways. */
export function drawCrowds(crowds: readonly CrowdPoint[]): string {
  const groups = Map.groupBy(crowds, ({ processes, delayMs }) => `${processes} × ${delayMs} ms`);
  const delays = [...new Set(crowds.map(({ delayMs }) => delayMs))];
  const panel = (title: string, pick: (point: CrowdPoint) => number): LinePanel => ({
    title,
    xLabel: 'clients',
    series: [...groups].map(([name, points]) => ({
      name,
      colour: delays.indexOf(points[0]?.delayMs ?? 0),
      isDashed: points[0]?.processes === 2,
      points: points.map((point) => [point.clients, pick(point)]),
    })),
  });
  return drawLines('More clients: gateways × delay of the platform', [
    panel('requests a second', ({ rps }) => rps),
    panel('p99, ms', ({ p99Ms }) => p99Ms),
    panel('peak RSS of one gateway, MB', ({ peakRssMb }) => peakRssMb),
  ]);
}
