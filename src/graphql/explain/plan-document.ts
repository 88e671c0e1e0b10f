import { type GraphQLSchema, getVariableValues, Kind } from 'graphql';

import type { CostBasis } from '../cost/basis.ts';
import { checkDocument, wordProblem } from '../documents/check.ts';
import type { DocumentLimits } from '../limits/document.ts';
import { assumeVariables } from './assume.ts';
import { type CostLimits, createPlan, type Plan } from './plan.ts';

/** The plan of an operation, whose variables need not be known. */
export interface AssumedPlan extends Plan {
  /** Values that were assumed for variables, by name. */
  readonly assumed: Readonly<Record<string, unknown>>;
}

/** What documents are planned by. */
export interface PlanRules {
  readonly schema: GraphQLSchema;
  readonly limits: DocumentLimits & CostLimits;
  readonly basis: CostBasis;
  /** Of all operations; each takes those that it defines. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Plans every operation of a document, or says what is wrong with it, by line and column. */
export function planDocument(
  text: string,
  { schema, limits, basis, variables: given }: PlanRules,
): { readonly plans: readonly AssumedPlan[] } | { readonly problems: readonly string[] } {
  const checked = checkDocument(text, { schema, limits });
  if ('problems' in checked) return checked;
  const { document } = checked;
  const operations = document.definitions
    .filter((node) => node.kind === Kind.OPERATION_DEFINITION)
    .map((node) => assumeVariables(node, { schema, variables: given, pages: basis.pages }));

  const problems = operations.flatMap(({ operation, variables }) => {
    const { errors = [] } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
    return errors.map(wordProblem);
  });
  if (problems.length > 0) return { problems };
  return {
    plans: operations.map(({ operation, variables, assumed }) => ({
      ...createPlan({ schema, document, operation, variables }, basis, limits),
      assumed,
    })),
  };
}
