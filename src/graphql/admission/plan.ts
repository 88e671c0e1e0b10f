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
  readonly steps: readonly Step[];
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

interface PlanOptions {
  readonly schema: GraphQLSchema;
  readonly limits: CostLimits;
  readonly dialect: Dialect;
  /** The variables of all operations. Each operation uses the ones that it defines. */
  readonly variables: Variables;
}

/**
 * Plans every operation of a document. Returns the problems with line and column if the document is
 * invalid.
 */
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
 * Returns values for missing variables with the highest cost: the largest page for each number, and
 * a different id for each id. Other variables stay absent, such as cursors and search values. They
 * do not raise the cost.
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

/** Returns the variables as optional ones, because some are neither sent nor assumed. */
const toOptional = ({ variableDefinitions = [] }: OperationDefinitionNode) =>
  variableDefinitions.map((definition) => ({
    ...definition,
    type: definition.type.kind === Kind.NON_NULL_TYPE ? definition.type.type : definition.type,
  }));
