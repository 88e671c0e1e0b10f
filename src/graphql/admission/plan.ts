import {
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  print,
} from 'graphql';
import type { Dialect } from '../../upstream/dialect.ts';
import { PAGE_LIMITS } from '../relay.ts';
import type { Variables } from './arguments.ts';
import { type Cost, compileCost, type Step } from './cost.ts';
import { checkDocument, formatProblem } from './documents.ts';
import { type SelectedOperation, selectOperation } from './selections.ts';

/** How much an operation may cost. */
export type CostLimits = Pick<Cost, 'calls' | 'fields'>;

/** The cost of an operation, without running it. */
export interface Plan {
  /** `null` where it has no name. */
  readonly operation: string | null;
  readonly kind: string;
  /** Calls to the platform: at most, and how many are allowed. */
  readonly calls: { readonly most: number; readonly allowed: number };
  /** The calls in words, where more follow the first answer. */
  readonly summary?: string;
  readonly fields: { readonly most: number; readonly allowed: number };
  readonly steps: readonly Step[];
}

/** An operation with its variables and its cost. */
export interface PlannedOperation extends Pick<SelectedOperation, 'definition' | 'rootType'> {
  readonly variables: Variables;
  readonly cost: Cost;
}

/** Makes the plan of an operation. */
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

/** The plan of an operation, whose variables need not be known. */
export interface AssumedPlan extends Plan {
  /** Values that were assumed for variables, by name. */
  readonly assumed: Variables;
}

interface PlanOptions {
  readonly schema: GraphQLSchema;
  readonly limits: CostLimits;
  readonly dialect: Dialect;
  /** Of all operations; each takes those that it defines. */
  readonly variables: Variables;
}

/** Plans every operation of a document, or says what is wrong with it, by line and column. */
export function planDocument(
  text: string,
  { schema, limits, dialect, variables: given }: PlanOptions,
): { readonly plans: readonly AssumedPlan[] } | { readonly problems: readonly string[] } {
  const checked = checkDocument(text, schema, { hideSuggestions: false });
  if ('problems' in checked) return checked;
  const { document } = checked;
  const problems: string[] = [];
  const plans = document.definitions.flatMap((node): readonly AssumedPlan[] => {
    if (node.kind !== Kind.OPERATION_DEFINITION) return [];
    const selected = selectOperation(schema, document, node.name?.value);
    const assumed = assumeVariables(node, given);
    const { coerced, errors = [] } = getVariableValues(schema, toOptional(node), {
      ...given,
      ...assumed,
    });
    problems.push(
      ...[selected, ...errors].filter((one) => one instanceof GraphQLError).map(formatProblem),
    );
    if (selected instanceof GraphQLError || coerced === undefined) return [];
    const cost = compileCost(selected)(coerced, dialect);
    return [{ ...createPlan({ ...selected, variables: coerced, cost }, limits), assumed }];
  });
  return problems.length > 0 ? { problems } : { plans };
}

/**
 * Gives values to the variables of an operation that have none, so that it costs as much as it can: numbers are the largest
 * page, ids are all different, and what is included or skipped by a variable is there. Where a page starts and what is
 * searched for are left out: they cost nothing.
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

/** What is neither given nor assumed may be left out. */
const toOptional = ({ variableDefinitions = [] }: OperationDefinitionNode) =>
  variableDefinitions.map((definition) => ({
    ...definition,
    type: definition.type.kind === Kind.NON_NULL_TYPE ? definition.type.type : definition.type,
  }));
