import { type Figure, timed } from '../benchmark.ts';
import type { ContenderName } from './contender.ts';
import type { Arguments, Workload } from './workloads.ts';

/** How much processor time an answer of ours may take, as a share of what it takes another. */
export interface Target {
  readonly workload: Workload['name'];
  readonly kind: Arguments;
  readonly ours: ContenderName;
  readonly theirs: ContenderName;
  readonly atMost: number;
}

const target = (
  workload: Workload['name'],
  kind: Arguments,
  theirs: ContenderName,
  atMost: number,
  ours: ContenderName = 'caseway',
): Target => ({ workload, kind, ours, theirs, atMost });

/** The design's figures to reach. */
export const TARGETS: readonly Target[] = [
  target('W1', 'varying', 'apollo', 1 / 6),
  target('W1', 'varying', 'tailcall', 1 / 2.5),
  target('W1', 'varying', 'rest', 1.2),
  target('W2', 'varying', 'apollo', 1 / 5),
  target('W2', 'varying', 'tailcallPlain', 1),
  target('W4', 'varying', 'apollo', 1 / 4),
  target('W4', 'varying', 'tailcallPlain', 1 / 2),
  target('W4', 'varying', 'rest', 1.25),
  target('W1', 'equal', 'tailcall', 0.7),
  target('W4', 'equal', 'tailcall', 0.7),
  target('W1', 'equal', 'bare', 1.25, 'casewayKnown'),
  target('W4', 'equal', 'bare', 1.25, 'casewayKnown'),
];

/** Processor time of a contender at a workload; `undefined` where it took no part. */
export type CpuOf = (name: ContenderName, workload: Workload['name'], kind: Arguments) => number | undefined;

/** Gives each target with what was measured. A target whose contender could not run is left out. */
export function judge(cpuOf: CpuOf): Figure[] {
  return TARGETS.flatMap(({ workload, kind, ours, theirs, atMost }) => {
    const [own, other] = [cpuOf(ours, workload, kind), cpuOf(theirs, workload, kind)];
    if (own === undefined || other === undefined) return [];
    const what = ours === 'casewayKnown' ? 'all known true' : `${kind} arguments`;
    return [timed(`${workload}, ${what}: CPU time, ours / ${theirs}`, own / other, '', { atMost })];
  });
}
