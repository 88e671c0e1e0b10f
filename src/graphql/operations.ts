import { randomUUID } from 'node:crypto';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { InputError, UpstreamError } from '../core/errors.ts';
import { describeError, type Log } from '../core/log.ts';
import type { Observer, OperationReport } from '../core/observers.ts';
import { oncePer } from '../core/once-per.ts';
import type { RequestState } from '../core/request-state.ts';
import type { Variables } from './admission/arguments.ts';
import { type Cost, type CostFunction, compileCost } from './admission/cost.ts';
import { LIMITS } from './admission/limits.ts';
import { type CostLimits, createPlan, type Plan } from './admission/plan.ts';
import { type SelectedOperation, selectOperation } from './admission/selections.ts';
import { compileVariables, type ReadVariables } from './admission/variables.ts';
import { namesOf, type OperationContext } from './context.ts';
import { isUnexpected, messageWithoutValues, requestError, toClientError } from './errors.ts';
import { compileOperation, type Result, type RunCompiled } from './executor.ts';

/** A valid operation, prepared for requests with different variables. */
export interface PreparedOperation {
  /** Unique in the process. */
  readonly id: string;
  /** The document's text. It may contain several operations. */
  readonly text: string;
  readonly operationName: string | undefined;
  readonly kind: OperationDefinitionNode['operation'];
  readonly name: string | undefined;
  readonly selected: SelectedOperation;
  readonly readVariables: ReadVariables;
  /** Whether the caller may see the schema, so that messages may have names of it. */
  readonly isVisibleTo: (context: OperationContext) => boolean;
  readonly costOf: CostFunction;
  /** The approximate memory, in bytes. */
  readonly bytes: number;
  /** Executes the operation with coerced variables. */
  readonly run: RunCompiled;
}

/** An LRU cache of one schema version's operations, by document text and operation name. */
export interface PreparedOperations {
  /** Returns an operation in the cache. `undefined` if it must be prepared first. */
  get(text: string, operationName: string | undefined): PreparedOperation | undefined;
  /**
   * Prepares an operation of a valid document and caches it.
   *
   * @returns an error if the document does not have the operation, the schema does not support
   *   its kind, or it exceeds a limit.
   */
  prepare(
    document: DocumentNode,
    text: string,
    operationName: string | undefined,
  ): PreparedOperation | GraphQLError;
}

export interface PreparedOptions {
  readonly schema: GraphQLSchema;
  /** Whether clients may see the schema. */
  readonly isIntrospectable: boolean;
}

/** The highest memory of all cached entries, in bytes. */
const MAX_BYTES = 67_108_864;
const MAX_OPERATIONS = 1_000;
/**
 * Measured memory in bytes: of an operation, of a character of its text after parsing, and of a
 * selection with arguments in four compiled variants.
 */
const OPERATION_BYTES = 10_000;
const CHARACTER_BYTES = 80;
const SELECTION_BYTES = 4_000;
/** The bytes of a character in a result, and of the result itself. */
const BYTES_PER_CHARACTER = 2;
const RESULT_BYTES = 1_000;

/** An entry of the cache. */
interface Kept {
  readonly operation?: PreparedOperation;
  /** The result of an operation that only reads the schema. */
  readonly result?: Result;
  readonly bytes: number;
}

export function createPreparedOperations({
  schema,
  isIntrospectable,
}: PreparedOptions): PreparedOperations {
  const kept = new LRUCache<string, Kept>({
    max: MAX_OPERATIONS,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ bytes }) => bytes,
  });

  const visibleTo = (context: unknown): GraphQLSchema | undefined => {
    if (!isIntrospectable) return undefined;
    const { permissions } = (context as OperationContext).scope;
    return permissions ? permissions.schemaOf(schema) : schema;
  };
  const versionOf = oncePer<GraphQLSchema, string>(() => randomUUID());
  /**
   * Executes introspection once per visible schema and variables, because the result cannot change.
   */
  const keepResults = (id: string, run: RunCompiled): RunCompiled => {
    return (context, variables) => {
      const visible = visibleTo(context);
      const key = `result ${id} ${visible && versionOf(visible)} ${JSON.stringify(variables)}`;
      const known = kept.get(key)?.result;
      if (known) return known;

      const result = run(context, variables);
      if (result instanceof Promise) return result;
      const length = key.length + (result.data?.length ?? 0);
      kept.set(key, { result, bytes: RESULT_BYTES + BYTES_PER_CHARACTER * length });
      return result;
    };
  };

  return {
    get: (text, operationName) => kept.get(keyOf(text, operationName))?.operation,
    prepare(document, text, operationName) {
      const selected = selectOperation(schema, document, operationName);
      if (selected instanceof GraphQLError) {
        return requestError(400, selected.message, 'BAD_USER_INPUT', selected.extensions);
      }
      const { definition } = selected;
      const id = randomUUID();
      const readsSchema = isIntrospection(selected);
      const maxLength = readsSchema ? LIMITS.schemaLength : LIMITS.answerLength;
      const run = compileOperation(selected, { maxLength, maxErrors: LIMITS.errors, visibleTo });
      const prepared: PreparedOperation = {
        id,
        text,
        operationName,
        kind: definition.operation,
        name: definition.name?.value,
        selected,
        readVariables: compileVariables(selected),
        isVisibleTo: (context) => visibleTo(context) !== undefined,
        costOf: compileCost(selected),
        // A short text may spread a fragment many times, and each spread is compiled.
        bytes: OPERATION_BYTES + CHARACTER_BYTES * text.length + SELECTION_BYTES * selected.size,
        run: readsSchema ? keepResults(id, run) : run,
      };
      kept.set(keyOf(text, operationName), { operation: prepared, bytes: prepared.bytes });
      return prepared;
    },
  };
}

/** Returns whether an operation reads `__schema` or `__type` and no data of the platform. */
const isIntrospection = ({ selections }: SelectedOperation): boolean =>
  selections.every(({ node }) => node.name.value.startsWith('__')) &&
  selections.some(({ node }) => node.selectionSet !== undefined);

/** Returns a unique key. An operation name may be any string, so its length comes first. */
const keyOf = (text: string, operationName: string | undefined): string =>
  operationName === undefined ? `:${text}` : `${operationName.length}:${operationName}${text}`;

/** The response to a request, and the report of its operation. */
export interface Answered {
  /** JSON and a newline. */
  readonly body: string;
  /**
   * 400 if nothing was executed, 403 if the caller lacks a permission. For an invalid document the
   * route may change it, depending on the client's `Accept`.
   */
  readonly status: number;
  /** Without `content-type`. */
  readonly headers?: ReadonlyMap<string, string>;
  readonly report: OperationReport;
}

/**
 * Executes an operation for one request and writes the response. The request's context must not be
 * used after that.
 */
export function answerOperation(
  operation: PreparedOperation,
  given: Variables,
  context: OperationContext,
): Answered | Promise<Answered> {
  const checked = checkRun(operation, given, context, context.requestState.maxCalls);
  if ('errors' in checked) return answer(checked, operation, context);
  const { variables, cost, limits } = checked;
  if (context.explain === 'plan') {
    const plan = createPlan({ ...operation.selected, variables, cost }, limits);
    return answer(NOTHING, operation, context, plan);
  }
  context.operation = operation;
  const result = runOrJoin(operation, given, variables, context);
  if (!(result instanceof Promise)) return answer(result, operation, context);
  return result.then((ended) => answer(ended, operation, context));
}

/** Executes an operation, or joins an equal query of the same caller in flight. */
function runOrJoin(
  operation: PreparedOperation,
  given: Variables,
  variables: Variables,
  context: OperationContext,
): Result | Promise<Result> {
  // An explanation of calls needs a run of its own.
  if (operation.kind !== 'query' || context.explain) return operation.run(context, variables);
  const key = `${operation.id} ${JSON.stringify(given)}`;
  return context.scope.queries.run(key, context.requestState, () =>
    operation.run(context, variables),
  );
}

/**
 * Checks permissions, variables and cost. Returns the data for a run, or the result of a refused
 * operation.
 *
 * @param calls the highest number of calls.
 */
export function checkRun(
  operation: PreparedOperation,
  given: Variables,
  context: OperationContext,
  calls: number,
) {
  const { explain, scope, dialect } = context;
  // Permissions come first, because messages about values are not for callers without permission.
  const refusals = scope.permissions?.findRefusals(operation.selected, given) ?? [];
  if (refusals.length > 0) return refused(refusals);

  const isPlan = explain === 'plan';
  const variables = operation.readVariables(given, {
    strictness: isPlan ? 'fully' : undefined,
    hasHints: operation.isVisibleTo(context),
  });
  if (variables instanceof GraphQLError) return refused([variables]);

  const limits = { calls, fields: LIMITS.fields };
  const cost = operation.costOf(variables, dialect);
  // A plan is not refused, because it shows the most expensive fields.
  const excess = isPlan ? undefined : findCostExcess(cost, limits);
  if (excess) return refused([excess]);
  return { variables, cost, limits };
}

const NOTHING: Result = { data: 'null', errors: [], hasData: false };

const refused = (errors: readonly GraphQLError[]): Result => ({
  data: undefined,
  errors,
  hasData: false,
});

/** Returns the error for an exceeded limit, with the most expensive field. */
function findCostExcess(
  { calls, fields, steps, widest }: Cost,
  limits: CostLimits,
): GraphQLError | undefined {
  if (calls > limits.calls) {
    const mostCalls = Math.max(...steps.map((step) => step.calls));
    const field = steps.find((step) => step.calls === mostCalls)?.field;
    const message = `This may cost ${calls} calls to the platform, ${mostCalls} of them for \`${field}\`, and at most ${limits.calls} are allowed.`;
    return requestError(400, message, 'COST_EXCEEDED', { field });
  }
  if (fields > limits.fields) {
    const message = `The answer may have ${fields} fields, most of them below \`${widest}\`, and at most ${limits.fields} are allowed.`;
    return requestError(400, message, 'COST_EXCEEDED', { field: widest });
  }
  return undefined;
}

/** Writes the response of a run. Errors come before the data. */
function answer(
  { data, errors, hasData }: Result,
  operation: PreparedOperation,
  context: OperationContext,
  plan?: Plan,
): Answered {
  context.isEnded = true;
  const clientErrors = errors.map((error) => toClientError(error, context.ids, context));
  const codes = clientErrors.map((error) => error.extensions?.['code']);
  const report = reportOperation(context, operation, { errors, codes, hasData });
  const allErrors = JSON.stringify(clientErrors);
  if (data === undefined) {
    return { body: `{"errors":${allErrors}}\n`, status: statusOf(errors), report };
  }
  const extensions = explainRun(context, errors, plan);
  const head = errors.length > 0 ? `"errors":${allErrors},` : '';
  const tail = extensions ? `,"extensions":${JSON.stringify(extensions)}` : '';
  return { body: `{${head}"data":${data}${tail}}\n`, status: 200, report };
}

/** Returns the status of an operation that was not executed. */
const statusOf = ([error]: Result['errors']): number => {
  const http = error?.extensions['http'] as { readonly status?: number } | undefined;
  return http?.status ?? 400;
};

/** Returns the extensions of a response. `undefined` for most responses. */
function explainRun(
  { explain, requestState }: OperationContext,
  errors: Result['errors'],
  plan: Plan | undefined,
): object | undefined {
  if (plan) return { plan };
  const { extensionCalls } = requestState;
  // JSON has no members that are `undefined`.
  const stale = requestState.stale.length > 0 ? requestState.stale : undefined;
  if (explain !== 'calls') return stale && { stale };
  return {
    stale,
    upstream: explainCalls(requestState),
    failures: failuresOf(errors),
    extensionCalls: extensionCalls.length > 0 ? countEach(extensionCalls) : undefined,
  };
}

/** Only numbers and operation names, without URLs or values. */
const explainCalls = ({
  calls,
  sentCalls,
  reserved,
  maxCalls,
  coalesced,
  notModified,
  fresh,
  stale,
}: RequestState) => ({
  calls,
  left: maxCalls - reserved,
  coalesced,
  notModified,
  fresh,
  stale: stale.length,
  operations: countEach(sentCalls),
});

/** Counts each name, in order of first occurrence. */
function countEach(names: readonly string[]): Readonly<Record<string, number>> {
  const groups = [...Map.groupBy(names, (name) => name)];
  return Object.fromEntries(groups.map(([name, group]) => [name, group.length]));
}

/** Creates the report of an executed or refused operation. */
export function reportOperation(
  context: OperationContext,
  { name, kind }: Pick<OperationReport, 'name' | 'kind'>,
  { errors, codes, hasData }: ReportedResult,
): OperationReport {
  const { requestState, startedAtMs, isFromOperator } = context;
  return {
    ...namesOf(context, name),
    kind,
    outcome: outcomeOf(errors, hasData),
    codes: [...new Set(codes)],
    errors,
    isFromOperator,
    durationMs: performance.now() - startedAtMs,
    upstreamCalls: requestState.calls,
    extensionCalls: requestState.extensionCalls.length,
    savings: {
      coalesced: requestState.coalesced,
      not_modified: requestState.notModified,
      fresh: requestState.fresh,
      stale: requestState.stale.length,
    },
  };
}

/** The result of an operation, as far as its report contains it. */
interface ReportedResult {
  readonly errors: OperationReport['errors'];
  /** The code of each error. */
  readonly codes: OperationReport['codes'];
  /** Whether a root field has a value. */
  readonly hasData: boolean;
}

function outcomeOf(errors: Result['errors'], hasData: boolean): OperationReport['outcome'] {
  if (errors.length === 0) return 'ok';
  return hasData ? 'partial' : 'failed';
}

/**
 * Creates an observer that logs one line per operation: ids, name, kind, duration, calls, outcome
 * and the platform's failures. It logs one more line for each unexpected error.
 *
 * @param hasSubjects whether the lines contain the signed-in user.
 */
export const createOperationLog = (log: Log, hasSubjects: boolean): Observer => ({
  operation(report, { ids }) {
    const {
      name,
      kind,
      client,
      caller,
      subject,
      durationMs,
      upstreamCalls,
      extensionCalls,
      outcome,
      codes,
      errors,
    } = report;
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
        caller,
        subject: hasSubjects ? subject : undefined,
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

/** Returns why GraphQL refused the request. `undefined` if something failed during execution. */
function refusalOf([first]: OperationReport['errors']): string | undefined {
  const { originalError = first } = first ?? {};
  const isRefusal = originalError instanceof GraphQLError || originalError instanceof InputError;
  return first && isRefusal ? messageWithoutValues(first) : undefined;
}

const MAX_FAILURES = 5;

/**
 * Returns the platform's distinct failures with their causes. `undefined` if there are no failures.
 */
function failuresOf(errors: OperationReport['errors']): readonly object[] | undefined {
  const failures = new Map<string, object>();
  for (const { originalError } of errors) {
    if (!(originalError instanceof UpstreamError)) continue;
    const failure = describeError(originalError);
    failures.set(JSON.stringify(failure), failure);
  }
  return failures.size === 0 ? undefined : [...failures.values()].slice(0, MAX_FAILURES);
}
