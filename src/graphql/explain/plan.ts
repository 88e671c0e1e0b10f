import type { CostBasis } from '../cost/basis.ts';
import { estimateCost, type Step } from '../cost/estimate.ts';
import type { ValidOperation } from '../cost/selection.ts';

/** How much an operation may cost. */
export interface CostLimits {
  /** Calls to the platform, at worst. */
  readonly calls: number;
  /** Fields of the answer, at worst. */
  readonly answerFields: number;
}

/** What an operation would do, told without doing any of it. */
export interface Plan {
  /** `null` where it has no name. */
  readonly operation: string | null;
  readonly kind: string;
  /** Calls to the platform: at least, at most, and how many are allowed. */
  readonly calls: { readonly least: number; readonly most: number; readonly allowed: number };
  /** Fields of the answer. */
  readonly fields: { readonly most: number; readonly allowed: number };
  readonly steps: readonly Step[];
}

/** Makes the plan of an operation. */
export function createPlan(asked: ValidOperation, basis: CostBasis, limits: CostLimits): Plan {
  const { calls, leastCalls, fields, steps } = estimateCost(asked, basis);
  return {
    operation: asked.operation.name?.value ?? null,
    kind: asked.operation.operation,
    calls: { least: leastCalls, most: calls, allowed: limits.calls },
    fields: { most: fields, allowed: limits.answerFields },
    steps,
  };
}
