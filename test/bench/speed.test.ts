import { describe, expect, it } from 'vitest';

import { drawBars } from '../../bench/chart/bars.ts';
import { type Cell, type Sample, summarize } from '../../bench/speed/cell.ts';
import type { Contender, ContenderName } from '../../bench/speed/contender.ts';
import { createWriter, endpoint, graphql } from '../../bench/speed/request.ts';
import { cellsOf } from '../../bench/speed/rounds.ts';
import { formatTables } from '../../bench/speed/tables.ts';
import { judge, TARGETS } from '../../bench/speed/targets.ts';
import { WORKLOADS } from '../../bench/speed/workloads.ts';

const SAMPLE: Sample = {
  cpuMs: 100,
  rps: 500,
  p50Ms: 1,
  p99Ms: 2,
  rssMb: 80,
  calls: 3,
  unchanged: 0,
  failed: 0,
  clientBusy: 0.1,
};
const [W1, , W3] = WORKLOADS;
if (W1 === undefined || W3 === undefined) throw new Error('There are four workloads.');

const contender = (name: ContenderName): Contender => ({
  name,
  port: 0,
  pid: 0,
  request: (workload, kind) => (name === 'bare' && kind === 'varying' ? undefined : endpoint(workload)),
});
const cellsFor = (...names: ContenderName[]): Cell[] => cellsOf(names.map(contender));

describe('the comparison of speed', () => {
  it('takes the median of each figure, adds up failures, and keeps how far apart the processor times lay', () => {
    const samples = [90, 300, 110, 95, 100].map((cpuMs, failed) => ({ ...SAMPLE, cpuMs, failed }));

    expect(summarize(samples)).toEqual({ ...SAMPLE, cpuMs: 100, leastCpuMs: 90, mostCpuMs: 300, failed: 10 });
  });

  it('judges each target by the ratio of processor times, and leaves out who could not run', () => {
    const figures = judge((name) => (name.startsWith('tailcall') ? undefined : name === 'caseway' ? 100 : 400));

    expect(figures).toHaveLength(TARGETS.filter(({ theirs }) => !theirs.startsWith('tailcall')).length);
    expect(figures[0]).toMatchObject({
      name: 'W1, varying arguments: CPU time, ours / apollo',
      value: 0.25,
      atMost: 1 / 6,
    });
  });

  it('has a cell for everyone at every workload that they take part in, and varies nothing where there are no arguments', () => {
    const cells = cellsFor('rest', 'bare');

    expect(cells.filter(({ contender }) => contender.name === 'rest')).toHaveLength(7);
    expect(cells.filter(({ contender }) => contender.name === 'bare')).toHaveLength(4);
  });

  it('writes equal requests, and such as no request before', () => {
    const template = graphql(W1, W1.generic, { headers: { 'x-api-key': 'secret' } });
    const equal = createWriter(template, 'equal', 5);
    const varying = createWriter(template, 'varying', 5);
    const [head = '', body = ''] = varying().split('\r\n\r\n');

    expect(equal()).toBe(equal());
    expect(JSON.parse(body)).toMatchObject({ variables: { formId: 'thing-6', page: 7 } });
    expect(head).toContain(`content-length: ${body.length}`);
    expect(head).toContain('x-api-key: secret');
    expect(varying()).not.toContain('thing-6');
  });

  it('asks a constant without variables', () => {
    const [, body = ''] = createWriter(graphql(W3, W3.generic), 'equal', 0)().split('\r\n\r\n');

    expect(JSON.parse(body)).toEqual({ query: '{ __typename }' });
  });

  it('puts the least processor time first, and says where the client was the bound', () => {
    const [ours, theirs] = cellsFor('caseway', 'rest');
    if (ours === undefined || theirs === undefined) throw new Error('There are cells for both.');
    const least = { leastCpuMs: 1, mostCpuMs: 999 };
    const table = formatTables(
      new Map([
        [ours, { ...SAMPLE, ...least, cpuMs: 150 }],
        [theirs, { ...SAMPLE, ...least, clientBusy: 0.9 }],
      ]),
    );
    const rows = table.split('\n').filter((line) => /^\| (Caseway|REST)/.test(line));

    expect(rows[0]).toMatch(/^\| REST endpoint by hand +\| 100 +\| 1.0–999 +\| 1.50 × +\| ≥ 500 /);
    expect(rows[1]).toMatch(/^\| Caseway +\| 150 /);
  });

  it('draws a bar for each value, to one scale within a panel', () => {
    const bars = [
      { label: 'a < b', value: 50, isOurs: true },
      { label: 'other', value: 100, isOurs: false },
    ];
    const svg = drawBars('CPU', [{ title: 'W1', bars }]);
    const widths = [...svg.matchAll(/<rect[^>]* width="([\d.]+)"/g)].map(([, width]) => Number(width));

    expect(widths[1]).toBe((widths[0] ?? 0) * 2);
    expect(svg).toContain('a &lt; b');
  });
});
