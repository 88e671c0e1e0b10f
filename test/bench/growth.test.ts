import { describe, expect, it } from 'vitest';

import { drawLines } from '../../bench/chart/lines.ts';
import { boundOf } from '../../bench/growth/bound.ts';
import { busyBetween } from '../../bench/growth/machine.ts';
import type { Point } from '../../bench/growth/point.ts';

const CALM: Point = {
  rps: 100,
  p50Ms: 1,
  p99Ms: 2,
  peakRssMb: 80,
  gatewayBusy: 0.4,
  upstreamBusy: 0.1,
  machineBusy: 0.3,
  processes: 2,
  maxInFlight: 10,
  failed: 0,
};

describe('what bounds growth', () => {
  it.each([
    [{ gatewayBusy: 0.9, machineBusy: 0.9 }, 'CPU of the gateway'],
    [{ machineBusy: 0.9, upstreamBusy: 0.9 }, 'CPU of the machine'],
    [{ upstreamBusy: 0.9 }, 'CPU of the platform'],
    [{ maxInFlight: 256 }, 'connections to the platform'],
    [{ maxInFlight: 128 }, 'waiting for the platform'],
  ])('with %o is the %s', (used, bound) => {
    expect(boundOf({ ...CALM, ...used }, 128)).toBe(bound);
  });

  it('counts what other programs of the machine use', () => {
    expect(busyBetween({ idleMs: 1_000, allMs: 2_000 }, { idleMs: 1_050, allMs: 2_200 })).toBe(0.75);
  });
});

describe('a chart of lines', () => {
  it('places equal factors at equal distances, and the largest value below the top', () => {
    const points = [
      [10, 0],
      [100, 50],
      [1_000, 150],
    ] as const;
    const svg = drawLines('Growth', [
      { title: 'rps', xLabel: 'clients', series: [{ name: 'one', colour: 0, points }] },
    ]);
    const [, path = ''] = /d="M([^"]+)" fill="none"/.exec(svg) ?? [];
    const [[x1 = 0, y1 = 0] = [], [x2 = 0] = [], [x3 = 0, y3 = 0] = []] = path
      .split('L')
      .map((at) => at.split(' ').map(Number));

    expect(x2 - x1).toBeCloseTo(x3 - x2, 0);
    expect(y1 - y3).toBeCloseTo(150, 0);
    expect(svg).toContain('>200</text>');
  });
});
