import {
  GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import type { PageLimits } from '../relay.ts';
import { type Cost, type CostContext, compileCost, type Step } from './cost.ts';
import { checkDocument, formatProblem } from './documents.ts';
import { type SelectedOperation, selectOperation, type Variables } from './selections.ts';

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
  readonly costs: CostContext;
  /** Of all operations; each takes those that it defines. */
  readonly variables: Variables;
}

/** Plans every operation of a document, or says what is wrong with it, by line and column. */
export function planDocument(
  text: string,
  { schema, limits, costs, variables: given }: PlanOptions,
): { readonly plans: readonly AssumedPlan[] } | { readonly problems: readonly string[] } {
  const checked = checkDocument(text, schema, { hideSuggestions: false });
  if ('problems' in checked) return checked;
  const { document } = checked;
  const operations = document.definitions
    .filter((node) => node.kind === Kind.OPERATION_DEFINITION)
    .map((node) => assumeVariables(node, schema, given, costs.pages));

  const problems: string[] = [];
  const plans = operations.flatMap(({ operation: definition, variables, assumed }) => {
    const { variableDefinitions = [] } = definition;
    const { coerced, errors = [] } = getVariableValues(schema, variableDefinitions, variables);
    problems.push(...errors.map(formatProblem));
    const selected = selectOperation(schema, document, definition.name?.value);
    if (!coerced || selected instanceof GraphQLError) return [];
    const cost = compileCost(selected)(coerced, costs);
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
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
  variables: Variables,
  pages: PageLimits,
) {
  const definitions = operation.variableDefinitions ?? [];
  const missing = definitions.filter(
    ({ variable, defaultValue }) => defaultValue === undefined && !Object.hasOwn(variables, variable.name.value),
  );
  const assumed = Object.fromEntries(
    missing.flatMap(({ variable, type }, index): (readonly [string, unknown])[] => {
      // A document that was found valid has variables of input types.
      const inputType = getNullableType(typeFromAST(schema, type as never) as GraphQLInputType);
      if (String(inputType) === 'Int') return [[variable.name.value, pages.maxSize]];
      return String(inputType) === 'ID' ? [[variable.name.value, String(index + 1)]] : [];
    }),
  );
  const known = definitions.map(({ variable }) => variable.name.value);
  const given = Object.entries(variables).filter(([name]) => known.includes(name));
  const variableDefinitions = definitions.map((definition) => ({
    ...definition,
    type: definition.type.kind === Kind.NON_NULL_TYPE ? definition.type.type : definition.type,
  }));
  return {
    /** With every variable optional. */
    operation: { ...operation, variableDefinitions },
    variables: { ...Object.fromEntries(given), ...assumed },
    /** Those of them that were not given. */
    assumed,
  };
}
