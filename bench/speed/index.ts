import type { Benchmark } from '../benchmark.ts';
import { counted } from '../benchmark.ts';
import { drawBars } from '../chart/bars.ts';
import { onStage } from '../stage/index.ts';
import { checkAgreement } from './agree.ts';
import { type Cell, type Summary, summarize } from './cell.ts';
import { startClient } from './client/index.ts';
import { CONTENDERS } from './contender.ts';
import { lineUp } from './line-up.ts';
import { formatMethod } from './method.ts';
import { cellsOf, playRounds, type Schedule } from './rounds.ts';
import { formatTables, groupCells } from './tables.ts';
import { type CpuOf, judge } from './targets.ts';

const LONG: Schedule = { rounds: 5, clients: 16, warmUpMs: 2_500, burstMs: 700 };
const SHORT: Schedule = { rounds: 1, clients: 16, warmUpMs: 200, burstMs: 300 };

/** Processor time beside other servers that answer the same. */
export const speed: Benchmark = {
  name: 'speed',
  about: 'processor time beside Apollo Server, Yoga, Mercurius, Tailcall, REST by hand and bare node:http',
  isApart: true,
  async run({ isShort }) {
    const schedule = isShort ? SHORT : LONG;
    const results = await measure(schedule);
    const cpuOf: CpuOf = (name, workload, kind) =>
      [...results].find(
        ([cell]) => cell.contender.name === name && cell.workload.name === workload && cell.kind === kind,
      )?.[1].cpuMs;
    const failed = [...results.values()].reduce((sum, summary) => sum + summary.failed, 0);
    const hasTailcall = cpuOf('tailcall', 'W3', 'equal') !== undefined;
    return {
      figures: [...judge(cpuOf), counted('answers that failed', failed, '', { atMost: 0 })],
      text: `\n![processor time](speed.svg)\n\n${formatMethod(schedule, hasTailcall)}\n${formatTables(results)}`,
      files: { 'speed.svg': draw(results) },
    };
  },
};

/** Measures all who take part at all workloads. */
function measure(schedule: Schedule): Promise<ReadonlyMap<Cell, Summary>> {
  return onStage(async (stage) => {
    stage.upstream.behave({ delayMs: 0 });
    const { contenders, close } = await lineUp(stage);
    const client = startClient();
    try {
      const cells = cellsOf(contenders);
      await checkAgreement(cells);
      const samples = await playRounds(cells, { client, upstream: stage.upstream }, schedule);
      return new Map([...samples].map(([cell, all]) => [cell, summarize(all)]));
    } finally {
      client.close();
      close();
    }
  });
}

function draw(results: ReadonlyMap<Cell, Summary>): string {
  const panels = [...groupCells(results)].map(([title, group]) => ({
    title,
    bars: group.map(([{ contender }, { cpuMs }]) => ({
      label: CONTENDERS[contender.name],
      value: cpuMs,
      isOurs: contender.name.startsWith('caseway'),
    })),
  }));
  return drawBars('Processor time of the server, ms for 1,000 answers', panels);
}
