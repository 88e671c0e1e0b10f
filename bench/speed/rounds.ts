import { processorTimeOf, usageOf } from '../stage/usage.ts';
import type { Upstream } from '../upstream/index.ts';
import type { Cell, Sample } from './cell.ts';
import type { Client } from './client/index.ts';
import type { Contender } from './contender.ts';
import { ARGUMENTS, WORKLOADS } from './workloads.ts';

/** How long and how often is measured. */
export interface Schedule {
  readonly rounds: number;
  readonly clients: number;
  readonly warmUpMs: number;
  readonly burstMs: number;
}

interface Field {
  readonly client: Client;
  readonly upstream: Upstream;
}

/** Arguments that a burst has for itself; no burst gives more answers than that. */
const ARGUMENTS_OF_A_BURST = 20_000;

/** Gives every contender at every workload that it takes part in. */
export function cellsOf(contenders: readonly Contender[]): Cell[] {
  return WORKLOADS.flatMap((workload) =>
    ARGUMENTS.filter((kind) => kind === 'equal' || workload.hasArguments).flatMap((kind) =>
      contenders.flatMap((contender) => {
        const template = contender.request(workload, kind);
        return template === undefined ? [] : [{ contender, workload, kind, template }];
      }),
    ),
  );
}

/**
 * Measures all cells, round by round: what the machine does meanwhile meets all of them alike, and whoever comes first in
 * one round comes later in the next.
 */
export async function playRounds(cells: readonly Cell[], field: Field, schedule: Schedule) {
  const samples = new Map<Cell, Sample[]>(cells.map((cell) => [cell, []]));
  let bursts = 0;
  const play = (cell: Cell, durationMs: number) =>
    fire(cell, field, { clients: schedule.clients, durationMs, from: bursts++ * ARGUMENTS_OF_A_BURST });

  for (const cell of cells) await play(cell, schedule.warmUpMs);
  for (let round = 0; round < schedule.rounds; round++) {
    const turn = Math.floor((round * cells.length) / schedule.rounds);
    for (const cell of [...cells.slice(turn), ...cells.slice(0, turn)]) {
      samples.get(cell)?.push(await play(cell, schedule.burstMs));
    }
  }
  return samples;
}

interface Shot {
  readonly clients: number;
  readonly durationMs: number;
  readonly from: number;
}

async function fire({ contender, template, kind }: Cell, { client, upstream }: Field, shot: Shot): Promise<Sample> {
  const { port, pid } = contender;
  await upstream.count();
  const beforeMs = processorTimeOf(pid);
  const report = await client.fire({ ports: [port], template, kind, ...shot });
  const cpuMs = processorTimeOf(pid) - beforeMs;
  const { calls, unchanged } = await upstream.count();
  const { answered, failed, tookMs, p50Ms, p99Ms, busy } = report;
  return {
    cpuMs: (cpuMs / answered) * 1_000,
    rps: (answered / tookMs) * 1_000,
    p50Ms,
    p99Ms,
    rssMb: usageOf(pid).rssMb,
    calls: calls / answered,
    unchanged: unchanged / answered,
    failed,
    clientBusy: busy,
  };
}
