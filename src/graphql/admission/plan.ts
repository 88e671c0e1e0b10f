import {
  GraphQLError,
  GraphQLID,
  type GraphQLInputObjectType,
  GraphQLInt,
  getNullableType,
  isInputObjectType,
  typeFromAST,
} from 'graphql';
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
  const assumed = assumeVariables(selected, given);
  const coerced = readVariables(given, { strictness: 'partly' });
  if (coerced instanceof GraphQLError) return coerced;
  const variables = { ...coerced, ...assumed };
  const cost = costOf(variables, dialect);
  return { ...createPlan({ ...selected, variables, cost }, limits), assumed };
}

/**
 * Returns values for the variables of an operation that have none, so that it costs as much as
 * possible: numbers are the largest page, ids are all different, inputs have every condition on
 * targets and expect values, and fields that a variable includes or skips are there. Cursors and
 * search texts are left out: they cost nothing.
 */
function assumeVariables(
  { schema, definition: { variableDefinitions = [] } }: SelectedOperation,
  given: Variables,
): Variables {
  const assumed: Record<string, unknown> = {};
  const missing = variableDefinitions.filter(
    ({ variable, defaultValue }) =>
      defaultValue === undefined && !Object.hasOwn(given, variable.name.value),
  );
  let ids = 0;
  const nextId = () => String(++ids);
  for (const { variable, type } of missing) {
    const inner = getNullableType(typeFromAST(schema, type as never));
    const { value: name } = variable.name;
    if (inner === GraphQLInt) assumed[name] = PAGE_LIMITS.maxSize;
    if (inner === GraphQLID) assumed[name] = nextId();
    if (String(inner) === 'JSONObject') assumed[name] = {};
    if (isInputObjectType(inner)) assumed[name] = assumeMembers(inner, nextId);
  }
  return assumed;
}

/** Returns the members of an input that affect the cost. */
function assumeMembers(type: GraphQLInputObjectType, nextId: () => string): object {
  const assumed: Record<string, unknown> = {};
  // Equal conditions on targets would be one call.
  const ofTarget = () => ({ instanceId: { in: [nextId()] } });
  for (const { name, type: memberType } of Object.values(type.getFields())) {
    const inner = getNullableType(memberType);
    const members = isInputObjectType(inner) ? inner.getFields() : {};
    if (name === 'expected') assumed[name] = {};
    if (members['where']) assumed[name] = { where: ofTarget() };
    if (name === 'where' && members['instanceId']) assumed[name] = ofTarget();
  }
  return assumed;
}
