import type { AssumedPlan } from '../graphql/explain/plan-document.ts';

/** A plan, and where its operation stands. */
export interface FoundPlan extends AssumedPlan {
  readonly file: string;
  /** Whether it may cost no more than is allowed. */
  readonly isWithin: boolean;
}

const WIDTH = Math.max('getFormIntances'.length, 'updateValuesOfFormIntance'.length);

/** Writes a plan for people. */
export function formatPlan({ file, operation, kind, calls, fields, steps, assumed, isWithin }: FoundPlan): string {
  const found = Object.entries(assumed).map(([name, value]) => `$${name} = ${JSON.stringify(value)}`);
  return [
    `${file}: ${kind} ${operation ?? '(without a name)'}`,
    `  ${calls.least} to ${calls.most} calls, ${calls.allowed} are allowed; at most ${fields.most} fields of ${fields.allowed}`,
    ...(isWithin ? [] : ['  TOO MUCH']),
    ...steps.map((step) => `  ${String(step.calls).padStart(5)} × ${step.operation.padEnd(WIDTH)}  ${placeOf(step)}`),
    ...(found.length > 0 ? [`  assumed: ${found.join(', ')}`] : []),
  ].join('\n');
}

const placeOf = ({ field, objects }: FoundPlan['steps'][number]): string =>
  objects === 1 ? field : `${field}, in ${objects} objects`;
