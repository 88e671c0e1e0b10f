import { type DocumentNode, GraphQLError, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import { LRUCache } from 'lru-cache';

import type { Answer } from '../cache/store.ts';
import { InputError, UpstreamError } from '../core/errors.ts';
import { describeError, type Log } from '../core/log.ts';
import type { Observer, OperationReport } from '../core/observers.ts';
import type { OperationContext } from './context.ts';
import { type Cost, type CostFunction, compileCost } from './cost.ts';
import { isUnexpected, messageWithoutValues, requestError, toClientError } from './errors.ts';
import type { Variables } from './executor/collect-fields.ts';
import { type CompiledOperation, compileOperation, type OperationResult } from './executor/index.ts';
import { type CostLimits, createPlan } from './explain.ts';
import { findSelectionExcess, LIMITS } from './limits.ts';
import { compileVariablesCheck, type VariablesCheck } from './variables.ts';

/** A valid operation with all that a request for it needs besides variables. */
export interface PreparedOperation {
  /** Differs from that of every other operation of the process. */
  readonly id: string;
  readonly kind: OperationDefinitionNode['operation'];
  readonly name: string | undefined;
  /** Where it is defined, with its directives. */
  readonly definition: OperationDefinitionNode;
  readonly run: CompiledOperation['run'];
  readonly checkVariables: VariablesCheck;
  readonly costOf: CostFunction;
}

/** The least recently used cache of one schema version's operations, by document text and requested operation name. */
export interface PreparedOperations {
  get(text: string, operationName: string | undefined): PreparedOperation | undefined;
  /**
   * Prepares an operation of a valid document and keeps it.
   *
   * @returns the error where the document has no such operation, the schema none of its kind, or it selects too much.
   */
  prepare(document: DocumentNode, text: string, operationName: string | undefined): PreparedOperation | GraphQLError;
}

interface PreparedOptions {
  readonly schema: GraphQLSchema;
  /** Tells the schema from those before it. */
  readonly version: number;
  /** Whether clients may see the schema. */
  readonly isIntrospectable: boolean;
}

/** A compiled operation takes far more room than its text, so the texts of those that are kept are bounded. */
const MAX_CHARACTERS = 500_000;
const MAX_OPERATIONS = 1_000;

export function createPreparedOperations({ schema, version, isIntrospectable }: PreparedOptions): PreparedOperations {
  const kept = new LRUCache<string, PreparedOperation>({
    max: MAX_OPERATIONS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_operation, key) => key.length,
  });
  let count = 0;

  return {
    get: (text, operationName) => kept.get(keyOf(text, operationName)),
    prepare(document, text, operationName) {
      const compiled = compileOperation(schema, document, operationName, {
        maxLength: LIMITS.answerLength,
        maxErrors: LIMITS.errors,
        isIntrospectable,
      });
      if (compiled instanceof GraphQLError) return requestError(400, compiled.message);
      const { operation, run } = compiled;
      const { operation: kind, name } = operation;
      const excess = findSelectionExcess(document, operation);
      if (excess) return excess;
      const prepared = {
        id: `${version}.${count++}`,
        kind,
        name: name?.value,
        definition: operation,
        run,
        checkVariables: compileVariablesCheck({ schema, document, operation, isIntrospectable }),
        costOf: compileCost({ schema, document, operation }),
      };
      kept.set(keyOf(text, operationName), prepared);
      return prepared;
    },
  };
}

/** Any string may come as the name, empty too, so its length goes first: no two pairs have one key. */
const keyOf = (text: string, operationName: string | undefined): string =>
  operationName === undefined ? `:${text}` : `${operationName.length}:${operationName}${text}`;

/** What became of an operation. */
export interface OperationAnswer extends Answer, Outcome {}

/** What an operation gave, for its report. */
interface Outcome {
  /** As they were thrown; the body has them in words for the client. */
  readonly errors: readonly GraphQLError[];
  /** As the client reads them. */
  readonly codes: readonly unknown[];
  /** Whether a field at the root has a value. */
  readonly hasData: boolean;
}

/** An operation that was rejected before execution: 400. */
export interface Refusal {
  readonly refusal: GraphQLError;
}

/**
 * Runs an operation for one request: the one place where variables and cost are checked, equal queries of one caller share
 * an answer, errors get their words, and the calls to the platform are explained.
 *
 * @param isShared whether an equal query in flight may answer this one.
 * @returns the answer as it is sent, JSON and a line's end.
 */
export function runOperation(
  operation: PreparedOperation,
  variables: Variables,
  context: OperationContext,
  { isShared = true }: { readonly isShared?: boolean } = {},
): Ended | Promise<Ended> {
  const { explain, stats, pages, upstream } = context;
  const refusal = operation.checkVariables(variables, explain === 'plan');
  if (refusal) return { refusal };
  const limits = { calls: stats.maxCalls, fields: LIMITS.fieldsPerRow * pages.maxSize };
  const cost = operation.costOf(variables, { pages, dialect: upstream.dialect });
  // A plan is how one sees what costs too much.
  if (explain === 'plan')
    return toAnswer(NOTHING, { context, extensions: { plan: createPlan(operation, cost, limits) } });
  const excess = findCostExcess(cost, limits);
  if (excess) return { refusal: excess };

  context.onValid?.();
  context.operation = operation;
  // Who wants the calls explained wants them made.
  if (!isShared || operation.kind !== 'query' || explain) return run(operation, variables, context);
  const key = `${operation.id} ${JSON.stringify(variables)}`;
  return context.scope.responses.get(key, context, () => run(operation, variables, context));
}

type Ended = OperationAnswer | Refusal;

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

function run(operation: PreparedOperation, variables: Variables, context: OperationContext): Ended | Promise<Ended> {
  const result = operation.run(context, variables);
  return result instanceof Promise ? result.then((ended) => end(ended, context)) : end(result, context);
}

function end(result: OperationResult, context: OperationContext): Ended {
  context.isEnded = true;
  const [first] = result.errors;
  if (result.data === undefined) return { refusal: first ?? requestError(400, 'This operation cannot be run.') };
  const { explain, stats } = context;
  return toAnswer(result, {
    context,
    extensions: {
      ...(stats.stale.length > 0 && { stale: stats.stale }),
      ...(explain === 'calls' && { upstream: explainCalls(stats) }),
      ...(explain === 'calls' &&
        stats.extensionCalls > 0 && { extensionCalls: Object.fromEntries(stats.callsByExtension) }),
    },
  });
}

/** An operation that was answered or refused: what its client gets, and what is reported of it. */
export interface AnsweredOperation {
  /** JSON and a line's end. */
  readonly body: string;
  readonly report: OperationReport;
  /** Why it was rejected before execution. */
  readonly refusal?: GraphQLError;
}

/** Gives what became of an operation, its refusal in the words of Apollo Server. */
export function wordAnswer(
  answer: OperationAnswer | Refusal,
  operation: PreparedOperation,
  context: OperationContext,
): AnsweredOperation {
  if (!('refusal' in answer)) return { body: answer.body, report: reportOperation(context, operation, answer) };
  const { refusal } = answer;
  const error = toClientError(refusal, context.ids);
  const outcome = { errors: [refusal], codes: [error.extensions?.['code']], hasData: false };
  const body = `${JSON.stringify({ errors: [error] })}\n`;
  return { body, report: reportOperation(context, operation, outcome), refusal };
}

interface AnswerParts {
  readonly context: OperationContext;
  readonly extensions: Readonly<Record<string, unknown>>;
}

const NOTHING: OperationResult = { data: 'null', errors: [], hasData: false };

/** Writes an answer as Apollo Server would, byte by byte: errors first, where there are any. */
function toAnswer(
  { data = 'null', errors, hasData }: OperationResult,
  { context, extensions }: AnswerParts,
): OperationAnswer {
  const end = Object.keys(extensions).length === 0 ? '}\n' : `,"extensions":${JSON.stringify(extensions)}}\n`;
  if (errors.length === 0) return { body: `{"data":${data}${end}`, isWhole: true, errors, codes: [], hasData };
  const clientErrors = errors.map((error) => toClientError(error, context.ids));
  const codes = clientErrors.map(({ extensions }) => extensions?.['code']);
  const body = `{"errors":${JSON.stringify(clientErrors)},"data":${data}${end}`;
  return { body, isWhole: false, errors, codes, hasData };
}

/** Numbers alone: no address and no value. */
const explainCalls = ({
  calls,
  reserved,
  maxCalls,
  coalesced,
  notModified,
  fresh,
  stale,
  callsByOperation,
}: OperationContext['stats']) => ({
  calls,
  left: maxCalls - reserved,
  coalesced,
  notModified,
  fresh,
  stale: stale.length,
  operations: Object.fromEntries(callsByOperation),
});

/** An operation's name is the client's to choose, so only this much of it is kept. */
const MAX_NAME_LENGTH = 100;

/** Reports an operation that was answered: the only place where the parts of a report come together. */
export function reportOperation(
  { client, stats, startedAtMs }: OperationContext,
  { name, kind }: { readonly name?: string | null | undefined; readonly kind?: string | undefined },
  { errors, codes, hasData }: Outcome,
): OperationReport {
  const { calls: upstreamCalls, extensionCalls, coalesced, notModified: not_modified, fresh, stale } = stats;
  return {
    name: name?.slice(0, MAX_NAME_LENGTH),
    kind,
    outcome: errors.length === 0 ? 'ok' : hasData ? 'partial' : 'failed',
    codes: [...new Set(codes)],
    errors,
    client,
    durationMs: performance.now() - startedAtMs,
    upstreamCalls,
    extensionCalls,
    savings: { coalesced, not_modified, fresh, stale: stale.length },
  };
}

/**
 * Writes one log line for an operation, with its request's ids, its name and kind, how long it took, its calls, its
 * outcome and what failed on the platform's side, and one for each unexpected error.
 */
export const createOperationLog = (log: Log): Observer => ({
  operation(report, { ids }) {
    const { name, kind, client, durationMs, upstreamCalls, extensionCalls, outcome, codes, errors } = report;
    for (const error of errors.filter(isUnexpected)) {
      log.error({ ...ids, err: error.originalError }, 'unexpected error');
    }
    log.info(
      {
        ...ids,
        operation: name,
        kind,
        client: client.name,
        clientVersion: client.version,
        durationMs: Math.round(durationMs * 10) / 10,
        upstreamCalls,
        extensionCalls: extensionCalls || undefined,
        outcome,
        codes: codes.length === 0 ? undefined : codes,
        failures: failuresOf(errors),
        refusal: refusalOf(errors),
      },
      'operation',
    );
  },
});

/** Why GraphQL refused the request; `undefined` where something failed while it ran. */
function refusalOf([first]: OperationReport['errors']): string | undefined {
  const { originalError = first } = first ?? {};
  const isRefusal = originalError instanceof GraphQLError || originalError instanceof InputError;
  return first && isRefusal ? messageWithoutValues(first) : undefined;
}

const MAX_FAILURES = 5;

/** The distinct failures of the platform with their causes; `undefined` without any. */
function failuresOf(errors: OperationReport['errors']): readonly object[] | undefined {
  const failures = new Map<string, object>();
  for (const { originalError } of errors) {
    if (!(originalError instanceof UpstreamError)) continue;
    const failure = describeError(originalError);
    failures.set(JSON.stringify(failure), failure);
  }
  return failures.size === 0 ? undefined : [...failures.values()].slice(0, MAX_FAILURES);
}
