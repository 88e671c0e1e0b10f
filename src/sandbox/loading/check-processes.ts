import { feelProblem } from '../feel.ts';
import type { Activity, Process } from '../model.ts';
import type { Located } from './read-kind.ts';
import { duplicates, namedIn } from './unique.ts';

/** The processes by id; what does not fit together adds to `problems`. */
export function checkProcesses(
  processes: readonly Located<Process>[],
  problems: string[],
): ReadonlyMap<string, Process> {
  problems.push(
    ...duplicates(
      'process',
      processes.map(({ value, at }) => ({ id: value.idProcess, at: at(['idProcess']) })),
    ),
    ...processes.flatMap(problemsOf),
  );
  return new Map(processes.map(({ value }) => [value.idProcess, value]));
}

function problemsOf({ value: process, at }: Located<Process>): readonly string[] {
  const { activities, variables } = process;
  return [
    ...duplicates(
      'variable',
      namedIn(at, ['variables'], variables, ({ name }) => name),
    ),
    ...duplicates(
      'activity',
      namedIn(at, ['activities'], activities, ({ cdActivity }) => String(cdActivity)),
    ),
    ...activities.flatMap((activity, index) => activityProblems(activity, { process, index, at })),
  ];
}

interface Place {
  readonly process: Process;
  readonly index: number;
  readonly at: Located<Process>['at'];
}

function activityProblems(activity: Activity, { process, index, at }: Place): readonly string[] {
  const { name, next, requires } = activity;
  const problems: string[] = [];
  for (const [step, { when, to }] of next.entries()) {
    const line = at(['activities', index, 'next', step]);
    const fault = when === undefined ? undefined : feelProblem(when, process.variables);
    if (fault !== undefined) problems.push(`${line}: the condition "${when}" cannot be used: ${fault}`);
    if (to !== 'end' && !process.activities.some(({ cdActivity }) => cdActivity === to)) {
      problems.push(`${line}: the next activity ${to} is not defined in this process`);
    }
  }
  // Without a way out that always applies, a case could be stuck for good.
  if (next.length > 0 && next.at(-1)?.when !== undefined) {
    problems.push(`${at(['activities', index, 'next'])}: the last "next" of "${name}" must have no condition`);
  }
  for (const missing of requires.filter((required) => !process.variables.some((each) => each.name === required))) {
    problems.push(`${at(['activities', index, 'requires'])}: the variable "${missing}" is not defined`);
  }
  return problems;
}
