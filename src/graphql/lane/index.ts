import { type DocumentNode, GraphQLError, type GraphQLSchema } from 'graphql';

import type { Answer } from '../../cache/response-cache.ts';
import type { Scope } from '../../cache/scope.ts';
import type { Compiler } from '../compiler.ts';
import type { OperationContext } from '../context.ts';
import type { OperationChecks } from '../limits/index.ts';
import type { OperationLog, Outcome } from '../operation-log.ts';
import { type AdmittedOperation, createAdmitted } from './admitted.ts';
import { wordError, writeAnswer } from './write-answer.ts';

/** Which operation of which document. */
export interface AskedOperation {
  readonly text: string;
  readonly operationName: string | undefined;
}

/** A request for an operation that was admitted. */
export interface LaneRequest {
  readonly operation: AdmittedOperation;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: OperationContext;
  readonly scope: Scope;
  readonly signal: AbortSignal;
}

/**
 * The short way for operations that the server has admitted once: they need not be parsed, validated and measured again, so
 * they are only checked for what depends on the request, and run.
 */
export interface Lane {
  /** Whether operations of a document were admitted, so that its text need not be measured again. */
  knows(text: string): boolean;
  find(asked: AskedOperation): AdmittedOperation | undefined;
  /** Told of each operation that the server is about to run, whose document it keeps. */
  admit(asked: AskedOperation, document: DocumentNode): void;
  /**
   * Gives the answer, with status 200, as the server would give it. `undefined` for a request that is refused: nothing was
   * done, and the server says why.
   */
  answer(request: LaneRequest): Promise<Answer | undefined>;
}

interface LaneOptions {
  readonly schema: GraphQLSchema;
  /** Tells the lane from others that answer the same callers. */
  readonly edition: number;
  readonly compiler: Compiler;
  readonly checks: OperationChecks;
  readonly log: OperationLog;
  /** How many documents may have admitted operations. */
  readonly maxDocuments: number;
}

export function createLane({ schema, edition, compiler, checks, log, maxDocuments }: LaneOptions): Lane {
  const admitted = createAdmitted(maxDocuments);
  let count = 0;

  const isRefused = ({ operation, variables, context }: LaneRequest): boolean => {
    try {
      checks.checkRequest({ ...operation, variables }, context);
      return false;
    } catch {
      return true;
    }
  };

  return {
    knows: admitted.hasText,
    find: ({ text, operationName }) => admitted.get(text, operationName),
    admit({ text, operationName }, document) {
      const compiled = compiler.compile(document, operationName);
      if (compiled instanceof GraphQLError) return;
      const { run, operation } = compiled;
      const { operation: kind, name } = operation;
      admitted.set(text, operationName, {
        schema,
        document,
        operation,
        run,
        kind,
        name: name?.value,
        id: `${edition}.${count++}`,
      });
    },
    async answer(request) {
      const { operation, variables, context, scope } = request;
      const startedAtMs = performance.now();
      let outcome: Pick<Outcome, 'data' | 'errors'> = { data: {}, errors: undefined };
      // An answer that is kept or being made was asked for by a request that was checked, and this one is its equal.
      const make = async (): Promise<Answer | undefined> => {
        if (isRefused(request)) return undefined;
        const { data, errors } = await operation.run(context, variables);
        if (data === undefined) return undefined;
        if (errors.length > 0) {
          log.errors(errors, context);
          outcome = { data: JSON.parse(data), errors: errors.map((error) => wordError(error, context.requestId)) };
        }
        return { body: writeAnswer(data, outcome.errors, context), isWhole: errors.length === 0 };
      };
      const key = `${operation.id}:${JSON.stringify(variables)}`;
      // JSON writes a number that is infinite as null, and the two are no equals.
      if (key.includes('null') && isRefused(request)) return undefined;
      const { meter } = context;
      const answer = await (operation.kind === 'query' ? scope.responses.get(key, meter, make) : make());
      if (answer === undefined) return undefined;
      context.onAdmitted?.();
      log.operation({ ...operation, startedAtMs, ...outcome }, context);
      return answer;
    },
  };
}
