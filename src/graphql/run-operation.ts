import type { GraphQLError } from 'graphql';

import type { Answer } from '../cache/store.ts';
import type { OperationContext } from './context.ts';
import type { Cost } from './cost.ts';
import { requestError, wordError } from './errors.ts';
import { type CostLimits, createPlan } from './explain.ts';
import { LIMITS } from './limits.ts';
import type { PreparedOperation } from './prepared-operations.ts';

/** What became of an operation. */
export interface OperationAnswer extends Answer {
  /** As they were thrown; the body has them in words for the client. */
  readonly errors: readonly GraphQLError[];
}

/** Why an operation was not run: 400, and nothing was done. */
export interface Refusal {
  readonly refusal: GraphQLError;
}

type Variables = Readonly<Record<string, unknown>>;

/**
 * Runs an operation for one request: the one place where variables and cost are checked, equal queries of one caller share
 * an answer, errors get their words, and the calls to the platform are explained.
 *
 * @param isShared whether an equal query in flight may answer this one.
 * @returns the answer as it is sent, JSON and a line's end.
 */
export async function runOperation(
  operation: PreparedOperation,
  variables: Variables,
  context: OperationContext,
  { isShared = true }: { readonly isShared?: boolean } = {},
): Promise<OperationAnswer | Refusal> {
  const refusal = operation.checkVariables(variables);
  if (refusal) return { refusal };
  const { explain, stats, pages, upstream } = context;
  const limits = { calls: stats.maxCalls, fields: LIMITS.fieldsPerRow * pages.maxSize };
  const cost = operation.costOf(variables, { pages, dialect: upstream.dialect });
  // A plan is how one sees what costs too much.
  if (explain === 'plan')
    return toAnswer('null', [], { context, extensions: { plan: createPlan(operation, cost, limits) } });
  const excess = findCostExcess(cost, limits);
  if (excess) return { refusal: excess };

  context.onValid?.();
  Object.assign(context.report, { name: operation.name, kind: operation.kind });
  // Who wants the calls explained wants them made.
  const isShareable = isShared && operation.kind === 'query' && explain === undefined;
  return isShareable ? runShared(operation, variables, context) : run(operation, variables, context);
}

function findCostExcess({ calls, fields }: Cost, limits: CostLimits): GraphQLError | undefined {
  if (calls > limits.calls) {
    const message = `This may cost ${calls} calls to the platform, and at most ${limits.calls} are allowed.`;
    return requestError(400, message, 'COST_EXCEEDED');
  }
  if (fields > limits.fields) {
    const message = `The answer may have ${fields} fields, and at most ${limits.fields} are allowed.`;
    return requestError(400, message, 'COST_EXCEEDED');
  }
  return undefined;
}

/** Equal queries of one caller run once, and an answer serves again while nothing that it was made of has changed. */
async function runShared(
  operation: PreparedOperation,
  variables: Variables,
  context: OperationContext,
): Promise<OperationAnswer | Refusal> {
  const { scope } = context;
  let own: OperationAnswer | Refusal | undefined;
  const key = `${operation.id} ${JSON.stringify(variables)}`;
  const answer = await scope.responses.get(key, context, async () => {
    own = await run(operation, variables, context);
    return 'refusal' in own ? undefined : own;
  });
  if (own) return own;
  if (answer === undefined) throw new Error('The operation gave no answer.');
  return { ...answer, errors: [] };
}

async function run(operation: PreparedOperation, variables: Variables, context: OperationContext) {
  const { data, errors } = await operation.run(context, variables);
  context.isEnded = true;
  const [first] = errors;
  if (data === undefined) return { refusal: first ?? requestError(400, 'This operation cannot be run.') };
  const { explain, stats } = context;
  return toAnswer(data, errors, {
    context,
    extensions: {
      ...(stats.stale.length > 0 && { stale: stats.stale }),
      ...(explain === 'calls' && { upstream: explainCalls(stats) }),
      ...(explain === 'calls' &&
        stats.extensionCalls > 0 && { extensionCalls: Object.fromEntries(stats.callsByExtension) }),
    },
  });
}

interface AnswerParts {
  readonly context: OperationContext;
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** Writes an answer as Apollo Server would, byte by byte: errors first, where there are any. */
function toAnswer(
  data: string,
  errors: readonly GraphQLError[],
  { context, extensions }: AnswerParts,
): OperationAnswer {
  const end = Object.keys(extensions).length === 0 ? '}\n' : `,"extensions":${JSON.stringify(extensions)}}\n`;
  if (errors.length === 0) return { body: `{"data":${data}${end}`, isWhole: true, errors };
  const worded = errors.map((error) => wordError(error, context.ids));
  Object.assign(context.report, { data: JSON.parse(data), errors: worded, thrown: errors });
  return { body: `{"errors":${JSON.stringify(worded)},"data":${data}${end}`, isWhole: false, errors };
}

/** Numbers alone: no address and no value. */
const explainCalls = ({
  calls,
  extensionCalls,
  maxCalls,
  coalesced,
  notModified,
  fresh,
  stale,
  callsByOperation,
}: OperationContext['stats']) => ({
  calls,
  left: maxCalls - calls - extensionCalls,
  coalesced,
  notModified,
  fresh,
  stale: stale.length,
  operations: Object.fromEntries(callsByOperation),
});
