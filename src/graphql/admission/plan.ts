import { GraphQLError, type OperationDefinitionNode, print } from 'graphql';
import type { Dialect } from '../../upstream/dialect.ts';
import { PAGE_LIMITS } from '../relay.ts';
import type { Variables } from './arguments.ts';
import type { Cost, CostFunction, CostStep } from './cost.ts';
import type { SelectedOperation } from './selections.ts';
import type { ReadVariables } from './variables.ts';

/** The cost limits of an operation. */
export type CostLimits = Pick<Cost, 'calls' | 'fields'>;

/** The cost of an operation, without running it. */
export interface Plan {
  /** `null` for an anonymous operation. */
  readonly operation: string | null;
  readonly kind: string;
  /** The highest number of calls to the platform, and the allowed number. */
  readonly calls: { readonly most: number; readonly allowed: number };
  /** A description of the calls, if more follow after the first response. */
  readonly summary?: string;
  readonly fields: { readonly most: number; readonly allowed: number };
  readonly steps: readonly CostStep[];
}

/** An operation with its variables and its cost. */
export interface PlannedOperation extends Pick<SelectedOperation, 'definition' | 'rootType'> {
  readonly variables: Variables;
  readonly cost: Cost;
}

/** Creates the plan of an operation. */
export function createPlan(planned: PlannedOperation, limits: CostLimits): Plan {
  const { definition, rootType, cost } = planned;
  const { calls, fields, steps } = cost;
  const plan = {
    operation: definition.name?.value ?? null,
    kind: definition.operation,
    calls: { most: calls, allowed: limits.calls },
    fields: { most: fields, allowed: limits.fields },
    steps,
  };
  return rootType.extensions.completePlan?.(plan, planned) ?? plan;
}

/** The plan of an operation whose variables may be missing. */
export interface AssumedPlan extends Plan {
  /** The assumed values of missing variables, by name. */
  readonly assumed: Variables;
}

/** An admitted operation. */
interface AdmittedOperation {
  readonly selected: SelectedOperation;
  readonly readVariables: ReadVariables;
  readonly costOf: CostFunction;
}

interface PlanOptions {
  readonly limits: CostLimits;
  readonly dialect: Dialect;
  /** The variables of all operations. Each operation uses the ones that it defines. */
  readonly variables: Variables;
}

/** Plans an admitted operation. Returns the error of variables that do not fit. */
export function planOperation(
  { selected, readVariables, costOf }: AdmittedOperation,
  { limits, dialect, variables: given }: PlanOptions,
): AssumedPlan | GraphQLError {
  const assumed = assumeVariables(selected.definition, given);
  const variables = readVariables({ ...given, ...assumed }, { strictness: 'partly' });
  if (variables instanceof GraphQLError) return variables;
  const cost = costOf(variables, dialect);
  return { ...createPlan({ ...selected, variables, cost }, limits), assumed };
}

/**
 * Returns values for the variables of an operation that have none, so that it costs as much as
 * possible: numbers are the largest page, ids are all different, and fields that a variable includes
 * or skips are there. Cursors and search texts are left out: they cost nothing.
 */
function assumeVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Variables,
): Variables {
  const assumed: Record<string, unknown> = {};
  const missing = variableDefinitions.filter(
    ({ variable, defaultValue }) =>
      defaultValue === undefined && !Object.hasOwn(given, variable.name.value),
  );
  for (const [index, { variable, type }] of missing.entries()) {
    const typeName = print(type).replace('!', '');
    if (typeName === 'Int') assumed[variable.name.value] = PAGE_LIMITS.maxSize;
    if (typeName === 'ID') assumed[variable.name.value] = String(index + 1);
  }
  return assumed;
}
